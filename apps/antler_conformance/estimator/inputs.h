#pragma once

#include <string>

#include "antler/estimator/input_fn.h"
#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// The input_fn of a declaration; its calls are recorded. None for null.
est::InputFn input_fn(Scenario& scenario, const Json& name);

}  // namespace antler::conformance::estimators
