#pragma once

/// All metrics.
#include "antler/nn/metric.h"
#include "antler/nn/metrics/accuracy.h"
#include "antler/nn/metrics/aliases.h"
#include "antler/nn/metrics/auc.h"
#include "antler/nn/metrics/confusion.h"
#include "antler/nn/metrics/correlation.h"
#include "antler/nn/metrics/f_score.h"
#include "antler/nn/metrics/hinge.h"
#include "antler/nn/metrics/iou.h"
#include "antler/nn/metrics/mean_tensor.h"
#include "antler/nn/metrics/probabilistic.h"
#include "antler/nn/metrics/reduction.h"
#include "antler/nn/metrics/regression.h"
