#pragma once

#include "check.h"
#include "golden_case.h"

namespace antler::conformance::estimators {

/// Runs a case with `calls`.
void run_scenario(const GoldenCase& golden, Check& check);
/// Runs a case with `rows`.
void run_table(const GoldenCase& golden, Check& check);

}  // namespace antler::conformance::estimators
