#pragma once

#include <span>
#include <string>

#include "antler/core/tensor.h"
#include "compiler/plan.h"

/// Runs plans without LLVM or kernels: the oracle of the compiler's tests.
namespace antler::compiler {

/// Runs a nest over its buffers, point by point through the reference loops of the ops. Parallel
/// points run in an order that depends on `seed` (0: as written); the order must not matter.
void run_nest(const LoopNest& nest, std::span<void* const> buffers, uint64_t seed = 0);

/// Runs a plan in memory laid out by its slots: nests as above, library nodes through their
/// reference loops. States are read from and written to their variables. Returns the graph's
/// outputs.
Tensors run_plan(const Plan& plan, std::span<const Tensor> arguments, uint64_t seed = 0);

/// Lists the errors in a plan; empty if there are none. In a legal plan, every value is written
/// once and before it is read, and every buffer has a place.
std::string find_fault(const Plan& plan);

}  // namespace antler::compiler
