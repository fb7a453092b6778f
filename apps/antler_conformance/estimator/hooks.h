#pragma once

#include <vector>

#include "antler/estimator/hooks.h"
#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// Hooks of TensorFlow, Recorders and early stopping from their descriptions; null: none.
est::Hooks hooks_of(Scenario& scenario, const Json& hooks);
est::HookPtr hook_of(Scenario& scenario, const Json& hook);
/// Listeners of checkpoints.
std::vector<est::ListenerPtr> listeners_of(Scenario& scenario, const Json& listeners);

}  // namespace antler::conformance::estimators
