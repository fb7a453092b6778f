#pragma once

#include <vector>

#include "compiler/plan.h"

namespace antler::compiler {

/// Orders kernels so that values are written before they are read, states are overwritten after
/// their last reader where possible, and little memory is in use at a time.
std::vector<PlanKernel> schedule(const ir::Graph& graph, std::vector<PlanKernel> kernels);

}  // namespace antler::compiler
