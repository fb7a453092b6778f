#pragma once

#include <vector>

#include "runtime/cpu/jit/loop_plan.h"

namespace antler::runtime::jit {

/// The part of a nest's loops that a kernel's range counts: the leading loops of the plan,
/// flattened.
struct Range {
  size_t loops = 0;
  int64_t iterations = 1;
};
/// As few leading loops as give `parts` iterations, or all of them.
Range choose_range(const compiler::LoopNest& nest, const LoopPlan& plan, int64_t parts);

/// Writes the code of a (canonical) nest at the builder's insertion point, for the iterations
/// [begin, end) of `range`; null values stand for the whole range. `buffers` are the base pointers.
void lower(const Gen& g, const compiler::LoopNest& nest, const LoopPlan& plan,
           const std::vector<llvm::Value*>& buffers, const Range& range, llvm::Value* begin,
           llvm::Value* end);

}  // namespace antler::runtime::jit
