#pragma once

/// All losses.
#include "antler/nn/loss.h"
#include "antler/nn/losses/aliases.h"
#include "antler/nn/losses/hinge.h"
#include "antler/nn/losses/metric_learning.h"
#include "antler/nn/losses/probabilistic.h"
#include "antler/nn/losses/regression.h"
#include "antler/nn/losses/segmentation.h"
#include "antler/nn/losses/sequence.h"
