#pragma once

#include "antler/base/json.h"

/// Keras 2's activation "hard_sigmoid", clip(0.2 x + 0.5, 0, 1). Keras 3 has another function of
/// that name, relu6(x + 3) / 6, so in its words Keras 2's is a Sequential of Rescaling and ReLU as
/// the activation, which Keras 3 opens, too.
namespace antler::training {

/// Whether an object of a model, whose "keras_version" says who wrote it, has Keras 2's functions.
/// Without a version it is of Keras 3.
bool is_of_keras2(const Json& object);

/// The configuration of a layer of Keras 2, with its activations "hard_sigmoid", also where only
/// Keras 2's default of the class says so, in the words of Keras 3.
void spell_hard_sigmoids(const std::string& class_name, Json& config);

/// Gives such activations, at any depth of `object`, the name "hard_sigmoid" again. False, with no
/// change, where there are none, or where a layer has Keras 3's function of the name, too.
bool name_hard_sigmoids(Json& object);

}  // namespace antler::training
