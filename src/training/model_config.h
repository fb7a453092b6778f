#pragma once

#include "antler/base/json.h"
#include "antler/training/model.h"

namespace antler::training {

/// Makes Functional and Sequential models known to deserialize_layer(). Done once.
void register_model_classes();
/// Builds a layer that is not built for the shapes in its object's "build_config".
void build_from_config(Layer& layer, const Json& object);
/// The reverse: {"input_shape"}, null for a layer that was not built or has
/// several inputs by name.
Json build_config_of(const Layer& layer);
/// A layer in the configuration of another as an object with its "build_config", as Keras has it
/// there too; and back, built.
Json with_build_config(const Layer& layer);
LayerPtr layer_with_build_config(const Json& object);
/// The model that a layer is. Throws TypeError for another layer, and for a model of a class of
/// its own.
Model model_of(const LayerPtr& layer);

}  // namespace antler::training
