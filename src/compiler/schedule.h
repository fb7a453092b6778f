#pragma once

#include <vector>

#include "compiler/plan.h"

namespace antler::compiler {

/// Puts kernels into an order in which values are written before they are read, states are
/// overwritten after their last reader where that is possible, and little memory is in use at a
/// time.
std::vector<PlanKernel> schedule(const ir::Graph& graph, std::vector<PlanKernel> kernels);

}  // namespace antler::compiler
