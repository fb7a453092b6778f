#pragma once

#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Creates a callback from {"class_name", "config"}, where "config" has the arguments of Keras's
/// class. The schedule of a LearningRateScheduler is {"name": "table", "values"} (one rate per
/// epoch, the last for all later epochs) or {"name": "exponential", "start", "factor"} (unchanged
/// before epoch `start`, then multiplied by `factor` in each epoch). Custom classes must be
/// registered with register_keras_serializable(). Throws ValueError for an unknown class, TypeError
/// for unknown arguments, and what the class's constructor throws.
CallbackHandle deserialize(const Json& json);
/// Names of all classes that deserialize() knows.
std::vector<std::string> registered_callbacks();

}  // namespace antler::callbacks
