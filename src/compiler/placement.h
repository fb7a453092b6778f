#pragma once

#include "compiler/plan.h"

namespace antler::compiler {

/// Assigns memory to every value of a plan whose kernels are in order, and counts the bytes.
/// Appends copies of the new values of states that cannot be written in place.
void place_values(Plan& plan);

}  // namespace antler::compiler
