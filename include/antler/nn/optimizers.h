#pragma once

/// All optimizers and learning-rate schedules.
#include "antler/nn/optimizer.h"
#include "antler/nn/optimizers/adadelta.h"
#include "antler/nn/optimizers/adafactor.h"
#include "antler/nn/optimizers/adagrad.h"
#include "antler/nn/optimizers/adam.h"
#include "antler/nn/optimizers/adamax.h"
#include "antler/nn/optimizers/adamw.h"
#include "antler/nn/optimizers/ftrl.h"
#include "antler/nn/optimizers/lamb.h"
#include "antler/nn/optimizers/lion.h"
#include "antler/nn/optimizers/nadam.h"
#include "antler/nn/optimizers/rmsprop.h"
#include "antler/nn/optimizers/schedules.h"
#include "antler/nn/optimizers/sgd.h"
