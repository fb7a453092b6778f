#pragma once

#include <string>

#include "antler/estimator/model_fn.h"
#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// The declared model_fn of this name; its calls are recorded, except repeated traces.
est::ModelFn model_fn(Scenario& scenario, const std::string& name);

}  // namespace antler::conformance::estimators
