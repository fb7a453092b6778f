#pragma once

#include "antler/nn/layer.h"

/// What makes the models of premade_models.h and sharpness_aware_minimization.h from their
/// configurations.
namespace antler {

LayerPtr linear_model_from_config(const Json& config);
LayerPtr wide_deep_model_from_config(const Json& config);
LayerPtr sharpness_aware_minimization_from_config(const Json& config);

}  // namespace antler
