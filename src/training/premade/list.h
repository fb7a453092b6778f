#pragma once

#include "antler/nn/layer.h"

/// Creates the models of premade_models.h and sharpness_aware_minimization.h from configurations.
namespace antler {

LayerPtr linear_model_from_config(const Json& config);
LayerPtr wide_deep_model_from_config(const Json& config);
LayerPtr sharpness_aware_minimization_from_config(const Json& config);

}  // namespace antler
