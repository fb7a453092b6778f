#pragma once

#include <string>

#include "antler/estimator/input_fn.h"
#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// The declared input_fn of this name; its calls are recorded. None for null.
est::InputFn input_fn(Scenario& scenario, const Json& name);

}  // namespace antler::conformance::estimators
