#pragma once

#include "estimator/graph_ops.h"

namespace antler::conformance::estimators {

/// The operations with variables: layers, embedding, variable_scale. False for another one.
bool run_graph_layer(const Scenario& scenario, const Json& op, const GraphSettings& settings,
                     const Tensor& input, Tensor& result);

}  // namespace antler::conformance::estimators
