#pragma once

#include <string>

#include "antler/estimator/early_stopping.h"
#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// The hooks that take an estimator: early stopping and InMemoryEvaluatorHook. Throws Unsupported
/// for any other class.
est::HookPtr early_stopping_hook(Scenario& scenario, const std::string& name, const Json& args);

}  // namespace antler::conformance::estimators
