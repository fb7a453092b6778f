#pragma once

#include <memory>

#include "antler/core/variable.h"

namespace antler {

/// The distribution strategy in whose scope a variable was made; null outside of any scope.
using VariableOrigin = std::shared_ptr<const void>;

/// The origin of `variable`.
VariableOrigin variable_origin(const Variable& variable);
/// Sets the origin of the variables that this thread makes from now on; returns the previous one.
VariableOrigin set_variable_origin(VariableOrigin origin);

}  // namespace antler
