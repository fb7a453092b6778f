#pragma once

#include "antler/base/json.h"

namespace antler::training {

/// The object of a model or layer that Keras 2 wrote, in the words of Keras 3. Objects of Keras 3
/// stay as they are.
Json from_keras2(Json object);

}  // namespace antler::training
