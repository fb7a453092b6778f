#pragma once

#include "antler/base/json.h"

/// Keras 2's "hard_sigmoid" is clip(0.2 x + 0.5, 0, 1); Keras 3's is relu6(x + 3) / 6. In Keras 3's
/// form, Keras 2's function is written as a Sequential of Rescaling and ReLU, which Keras 3 can
/// read.
namespace antler::training {

/// Whether Keras 2 wrote a model's configuration, by its "keras_version". Without one it is Keras
/// 3's.
bool is_keras2(const Json& object);

/// Replaces the "hard_sigmoid" activations of a Keras 2 layer, including default ones, by Keras 3's
/// form.
void expand_hard_sigmoids(const std::string& class_name, Json& config);

/// Reverses expand_hard_sigmoids() at any depth of `object`. Returns false, without a change, if
/// there is nothing to reverse or a layer uses Keras 3's function of that name.
bool restore_hard_sigmoids(Json& object);

}  // namespace antler::training
