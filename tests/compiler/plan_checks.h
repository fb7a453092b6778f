#pragma once

#include <functional>

#include "antler/core/tensor.h"
#include "compiler/plan.h"

/// The common steps of compiler tests: trace a function, compile it, compare the results.
namespace antler::compiler {

using Body = std::function<Tensors(const Tensors&)>;

/// The graph of a function of values like `arguments`.
ir::Graph trace(const Body& body, const Tensors& arguments);

/// Values in [-2, 2) for floats, [0, 10) for integers, random booleans.
Tensor random_tensor(DType dtype, const Shape& shape, uint64_t seed);
/// The same in float32.
Tensor f32(const Shape& shape, uint64_t seed = 1);

/// Compiles `body` and compares results and states with the reference executor's, with points of
/// nests in several orders. Returns the plan, whose legality is checked too.
Plan check_plan(const Body& body, const Tensors& arguments, const CompileOptions& options = {},
                double tolerance = 1e-5);

struct KernelCount {
  int loops = 0;
  int libraries = 0;
  int copies = 0;
};
KernelCount count_kernels(const Plan& plan);

/// The nodes of a graph by op name.
int count_nodes(const ir::Graph& graph, const char* op);

}  // namespace antler::compiler
