#pragma once

#include <string>
#include <vector>

/// The names of objects that strings and configurations may contain, by kind. Names that the
/// program registered come last. For layers see registry.h, for callbacks callbacks/deserialize.h,
/// for applications applications/models.h.
namespace antler {

namespace activations {
std::vector<std::string> registered_activations();  ///< names of all activations
}
namespace constraints {
std::vector<std::string> registered_constraints();  ///< names of all constraints
}
namespace initializers {
std::vector<std::string> registered_initializers();  ///< names of all initializers
}
namespace losses {
/// Classes and functions: "MeanSquaredError", "mean_squared_error".
std::vector<std::string> registered_losses();
}  // namespace losses
namespace metrics {
/// Classes and functions, and "accuracy" and "crossentropy", each of which stands for one of
/// several metrics, depending on the shapes of targets and outputs. compile() also takes names of
/// losses as metrics.
std::vector<std::string> registered_metrics();
}  // namespace metrics
namespace optimizers {
std::vector<std::string> registered_optimizers();
namespace schedules {
std::vector<std::string> registered_schedules();
}
}  // namespace optimizers
namespace regularizers {
std::vector<std::string> registered_regularizers();
}

}  // namespace antler
