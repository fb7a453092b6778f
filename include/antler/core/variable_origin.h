#pragma once

#include <memory>
#include <string>

#include "antler/core/variable.h"

namespace antler {

/// What makes variables: a distribution strategy, for those that are made in its scope.
class VariableCreator {
 public:
  virtual ~VariableCreator() = default;
  /// Called once for each new variable with its initial value, which may be changed in place.
  virtual void on_create(const std::string& /*name*/, Tensor& /*initial*/) const {}
};
/// Null outside of the scope of a strategy.
using VariableOrigin = std::shared_ptr<const VariableCreator>;

/// The origin of `variable`.
VariableOrigin variable_origin(const Variable& variable);
/// Sets the origin of the variables that this thread makes from now on; returns the previous one.
VariableOrigin set_variable_origin(VariableOrigin origin);

}  // namespace antler
