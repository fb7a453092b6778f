#pragma once

#include <optional>

#include "antler/distribute/strategy.h"
#include "distribute/shared_variables.h"
#include "distribute/strategy_impl.h"

namespace antler::estimator {

/// The variables that the processes of the strategy share through parameter servers; null if they
/// do not train that way.
inline const distribute::SharedVariables* shared_variables(
    const std::optional<distribute::Strategy>& strategy) {
  if (!strategy || strategy->implementation() == nullptr) return nullptr;
  return strategy->implementation()->shared_variables();
}

/// During its lifetime, new variables can be shared if the strategy shares variables.
class SharedScope {
 public:
  explicit SharedScope(const std::optional<distribute::Strategy>& strategy) {
    if (shared_variables(strategy) != nullptr) scope_.emplace(*strategy);
  }

 private:
  std::optional<distribute::StrategyScope> scope_;
};

}  // namespace antler::estimator
