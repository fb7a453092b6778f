#pragma once

#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// A callback from {"class_name", "config"}, where the configuration has the arguments of Keras's
/// class. The schedule of a LearningRateScheduler is {"name": "table", "values"} (one rate per
/// epoch, the last one for all later ones) or {"name": "exponential", "start", "factor"} (unchanged
/// before epoch `start`, from then on multiplied in each epoch). Throws ValueError for an unknown
/// class, for arguments that it does not have, and as the class itself does. Custom classes are
/// made known by register_keras_serializable().
CallbackHandle deserialize(const Json& json);
/// Names of all classes that deserialize() knows.
std::vector<std::string> registered_callbacks();

}  // namespace antler::callbacks
