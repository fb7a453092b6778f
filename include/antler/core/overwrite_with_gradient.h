#pragma once

#include "antler/core/variable.h"

namespace antler {

/// Keras's `variable.overwrite_with_gradient`: an optimizer stores the gradient of such a variable
/// as its new value instead of applying an update. For statistics of the backward pass.
void set_overwrite_with_gradient(const Variable& variable);
bool overwrite_with_gradient(const Variable& variable);

}  // namespace antler
