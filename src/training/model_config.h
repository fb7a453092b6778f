#pragma once

#include "antler/base/json.h"
#include "antler/training/model.h"

namespace antler::training {

/// Registers the classes of models for deserialize_layer(), once.
void register_model_classes();
/// Builds a layer for the shapes in the "build_config" of `object`, unless it is built.
void build_from_config(Layer& layer, const Json& object);
/// The "build_config" of a layer: {"input_shape"}; null for a layer that is not built or has
/// several named inputs.
Json build_config_of(const Layer& layer);
/// serialize_layer() with a "build_config", and its inverse, which builds the layer.
Json with_build_config(const Layer& layer);
LayerPtr layer_with_build_config(const Json& object);
/// Casts a layer to a functional or sequential model. Throws TypeError for any other class.
Model model_of(const LayerPtr& layer);
/// A list of dimensions; null for unknown ones.
Json shape_to_json(const Shape& shape);

}  // namespace antler::training
