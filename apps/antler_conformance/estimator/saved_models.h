#pragma once

#include <string>

#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// Compares an exported SavedModel with what is expected of the call: graphs, files, assets,
/// variables, and what its signatures compute.
void check_export(const std::string& where, const Scenario& scenario, const Json& call,
                  const Json& expected, Check& check);

}  // namespace antler::conformance::estimators
