#pragma once

#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

<<<<<<< HEAD
/// A callback from {"class_name", "config"}, where the configuration has the arguments of Keras's
/// class. The schedule of a LearningRateScheduler is {"name": "table", "values"} (one rate per
/// epoch, the last one for all later ones) or {"name": "exponential", "start", "factor"} (unchanged
/// before epoch `start`, from then on multiplied in each epoch). Throws ValueError for an unknown
/// class, for arguments that it does not have, and as the class itself does. Custom classes are
/// made known by register_keras_serializable().
CallbackHandle deserialize(const Json& json);
=======
/// A callback from {"class_name", "config"}, where "config" has the arguments of Keras's class. The
/// schedule of a LearningRateScheduler is {"name": "table", "values"} (one rate per epoch, the last
/// for all later epochs) or {"name": "exponential", "start", "factor"} (unchanged before epoch
/// `start`, then multiplied by `factor` in each epoch). Throws ValueError for an unknown class,
/// TypeError for unknown arguments, and what the class's constructor throws.
CallbackHandle deserialize(const Json& json);
/// Makes a custom class known to deserialize().
void register_callback(const std::string& class_name,
                       std::function<CallbackHandle(const Json& config)> make);
>>>>>>> h_cb
/// Names of all classes that deserialize() knows.
std::vector<std::string> registered_callbacks();

}  // namespace antler::callbacks
