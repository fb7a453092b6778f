#pragma once

#include "compiler/plan.h"

namespace antler::compiler {

/// Gives every value of a plan whose kernels are in order its place, and counts the memory. Appends
/// kernels that copy the new value of a state where it cannot be written in place.
void place_values(Plan& plan);

}  // namespace antler::compiler
