#pragma once

#include <string>

#include "compiler/loop_nest.h"

namespace antler::compiler {

/// Makes one dimension of two neighbours wherever every access steps through them as through one.
/// Fewer and longer loops, and equal texts for kernels that differ in shapes only.
void merge_dimensions(LoopNest& nest);

/// The ops of a nest, for people: "mul+exp+reduce_sum".
std::string name_of(const LoopNest& nest);

/// Whether a nest does nothing but copy a whole buffer to another.
bool is_copy(const LoopNest& nest);

}  // namespace antler::compiler
