#pragma once

#include "estimator/graph_ops.h"

namespace antler::conformance::estimators {

/// Runs an operation that has variables: a layer, embedding or variable_scale. Returns false for
/// any other operation.
bool run_graph_layer(const Scenario& scenario, const Json& op, const GraphSettings& settings,
                     const Tensor& input, Tensor& result);

}  // namespace antler::conformance::estimators
