#pragma once

#include "antler/core/variable.h"

namespace antler {

/// Keras's `variable.overwrite_with_gradient`: an optimizer stores what a tape gives as the
/// gradient of such a variable, instead of an update by it. For statistics that are found on the
/// way back.
void set_overwrite_with_gradient(const Variable& variable);
bool overwrite_with_gradient(const Variable& variable);

}  // namespace antler
