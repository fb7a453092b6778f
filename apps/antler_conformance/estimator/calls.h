#pragma once

#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// Does call k of a scenario and compares its result. What it throws goes through.
void run_call(const std::string& where, Scenario& scenario, const Json& call, const Json& expected,
              Check& check);

}  // namespace antler::conformance::estimators
