#pragma once

#include <vector>

#include "runtime/cpu/jit/loop_plan.h"

namespace antler::runtime::jit {

/// The iterations that threads split: the leading loops of the plan, flattened.
struct Range {
  size_t loops = 0;
  int64_t iterations = 1;
};
/// The fewest leading loops with at least `min_iterations` iterations, or all loops.
Range choose_range(const compiler::LoopNest& nest, const LoopPlan& plan, int64_t min_iterations);

/// Emits the code of a nest, after merge_dimensions(), at the builder's insertion point, for the
/// iterations [begin, end) of `range`, or for all of them if `begin` and `end` are null.
/// `buffers`: base pointers.
void lower(const Gen& g, const compiler::LoopNest& nest, const LoopPlan& plan,
           const std::vector<llvm::Value*>& buffers, const Range& range, llvm::Value* begin,
           llvm::Value* end);

}  // namespace antler::runtime::jit
