#pragma once

/// All metrics.
#include "antler/nn/metric.h"
#include "antler/nn/metrics/accuracy.h"
#include "antler/nn/metrics/hinge.h"
#include "antler/nn/metrics/probabilistic.h"
#include "antler/nn/metrics/reduction.h"
#include "antler/nn/metrics/regression.h"
