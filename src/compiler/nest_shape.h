#pragma once

#include <string>

#include "compiler/loop_nest.h"

namespace antler::compiler {

/// Drops dimensions of size 1, and merges neighbouring ones that every access steps through as if
/// they were one. There are fewer and longer loops, and kernels that differ only in rank become
/// equal.
void merge_dimensions(LoopNest& nest);

/// The ops of a nest, for display: "mul+exp+reduce_sum".
std::string name_of(const LoopNest& nest);

/// Whether a nest only copies one whole buffer to another.
bool is_copy(const LoopNest& nest);

}  // namespace antler::compiler
