#pragma once

#include "antler/base/json.h"

namespace antler::training {

/// The object of a model or layer that Keras 2 wrote, in the words of Keras 3. Objects of Keras 3
/// stay as they are. Where a name means another function in Keras 2, "keras_version" tells which
/// (keras2_hard_sigmoid.h).
Json from_keras2(Json object);

/// The object of a model or layer of Keras 3 in the form of whole-model `.h5` files: class names
/// without modules, Keras 2's nodes and arguments. Keras 2 reads it where it has the layers,
/// without the optimizer (`compile=False`: Keras 3 refuses the mark by which Keras 2 knows its
/// newer ones); what only Keras 3 can say (operations, calls by keyword) stays in its words.
/// Has a "keras_version" where the file must say Keras 2's, because of a function that Keras 3
/// takes for another.
Json to_keras2(const Json& object);

}  // namespace antler::training
