#pragma once

#include <span>
#include <string>

#include "antler/core/tensor.h"
#include "compiler/plan.h"

/// Runs plans without LLVM or kernels: the oracle of the compiler's tests.
namespace antler::compiler {

/// Runs a nest over its buffers, point by point through the reference loops of the ops. Parallel
/// points are taken in an order that depends on `seed` (0: as written): a nest must not care.
void run_nest(const LoopNest& nest, std::span<void* const> buffers, uint64_t seed = 0);

/// Runs a plan in memory laid out by its slots: nests as above, library nodes through their
/// reference loops. States are read from and written to their variables. Returns the graph's
/// outputs.
Tensors run_plan(const Plan& plan, std::span<const Tensor> arguments, uint64_t seed = 0);

/// Lists what is illegal in a plan; empty if nothing is: every kernel finds what it reads written
/// before, every value is written once, every buffer has a place.
std::string find_fault(const Plan& plan);

}  // namespace antler::compiler
