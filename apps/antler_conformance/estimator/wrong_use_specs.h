#pragma once

#include <string>

#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// Rows of wrong_use with specs, outputs and receivers. Throws Unsupported for any other class.
Json spec_row(const std::string& name, const Json& row);

}  // namespace antler::conformance::estimators
