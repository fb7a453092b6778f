#pragma once

/// All of antler::estimator.
#include "antler/estimator/canned.h"
#include "antler/estimator/early_stopping.h"
#include "antler/estimator/estimator.h"
#include "antler/estimator/head.h"
#include "antler/estimator/losses.h"
#include "antler/estimator/metrics.h"
#include "antler/estimator/model_to_estimator.h"
#include "antler/estimator/train.h"
#include "antler/estimator/train_and_evaluate.h"
