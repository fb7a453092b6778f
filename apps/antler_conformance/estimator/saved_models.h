#pragma once

#include <string>

#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// Compares an exported SavedModel with the call's expectation: graphs, files, assets, variables,
/// and the outputs of its signatures.
void check_export(const std::string& where, const Scenario& scenario, const Json& call,
                  const Json& expected, Check& check);

}  // namespace antler::conformance::estimators
