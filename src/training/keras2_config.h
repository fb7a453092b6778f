#pragma once

#include "antler/base/json.h"

namespace antler::training {

/// Converts the configuration of a model or layer from Keras 2's form to Keras 3's; configurations
/// of Keras 3 are returned unchanged. "keras_version" resolves a name whose meaning changed
/// (keras2_hard_sigmoid.h).
Json from_keras2(Json object);

/// Converts the configuration of a model or layer to the form of whole-model `.h5` files: class
/// names without modules, Keras 2's nodes and arguments. Keras 2 can read it with `compile=False`
/// if it has the layers; optimizers would need a marker that Keras 3 rejects. What Keras 2 cannot
/// express (operations, calls by keyword) stays in Keras 3's form. The result has a "keras_version"
/// of Keras 2 if it contains a function that Keras 3 would misinterpret.
Json to_keras2(const Json& object);

}  // namespace antler::training
