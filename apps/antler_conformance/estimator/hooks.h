#pragma once

#include <vector>

#include "antler/estimator/hooks.h"
#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// TensorFlow's hooks, recording hooks and early stopping, made from their descriptions. None for
/// null.
est::Hooks hooks_of(Scenario& scenario, const Json& hooks);
est::HookPtr hook_of(Scenario& scenario, const Json& hook);
/// Checkpoint listeners.
std::vector<est::ListenerPtr> listeners_of(Scenario& scenario, const Json& listeners);

}  // namespace antler::conformance::estimators
