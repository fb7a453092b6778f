#pragma once

#include "antler/nn/constraint.h"
#include "antler/nn/initializer.h"
#include "antler/nn/layers.h"
#include "antler/nn/loss.h"
#include "antler/nn/metric.h"
#include "antler/nn/optimizer.h"
#include "antler/nn/random_seed.h"
#include "antler/nn/regularizer.h"
#include "antler/training/callback.h"
#include "antler/training/plot_model.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"

/// Keras's modules whose names stand directly in antler, for who writes the module in front:
/// `layers::Dense(2)`, `models::load_model(path)`, `utils::set_random_seed(1)`,
/// `callbacks::Callback`.
namespace antler {

/// All layers.
namespace layers {
using namespace ::antler;  // NOLINT(google-build-using-namespace): some 150 classes
}

namespace models {
using antler::clone_model;
using antler::load_model;
using antler::Model;
using antler::model_from_json;
using antler::save_model;
using antler::Sequential;
}  // namespace models

namespace utils {
using antler::plot_model;
using antler::set_random_seed;
}  // namespace utils

namespace callbacks {
using antler::Callback;
using antler::CallbackList;
using antler::History;
}  // namespace callbacks

namespace constraints {
using antler::Constraint;
}
namespace initializers {
using antler::Initializer;
}
namespace losses {
using antler::Loss;
}
namespace metrics {
using antler::Metric;
}
namespace optimizers {
using antler::Optimizer;
}
namespace optimizers::schedules {
using antler::LearningRateSchedule;
}
namespace regularizers {
using antler::Regularizer;
}

}  // namespace antler
