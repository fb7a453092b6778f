#pragma once

#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// Executes one call of a scenario and compares its result. Exceptions of the call are passed on.
void run_call(const std::string& where, Scenario& scenario, const Json& call, const Json& expected,
              Check& check);

}  // namespace antler::conformance::estimators
