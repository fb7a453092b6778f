#pragma once

#include <vector>

#include "compiler/plan.h"

namespace antler::compiler {

/// The kernels of a graph after all passes, in no particular order: nests (fused where allowed) and
/// library nodes. Their buffers are values with aliases resolved.
std::vector<PlanKernel> make_kernels(const ir::Graph& graph, bool fuse);

/// A kernel that copies one value to another of equal size.
PlanKernel make_copy(const ir::Graph& graph, ir::ValueId from, ir::ValueId to);

/// Values that a kernel reads or writes, each once.
std::vector<ir::ValueId> reads_of(const ir::Graph& graph, const PlanKernel& kernel);
std::vector<ir::ValueId> writes_of(const ir::Graph& graph, const PlanKernel& kernel);

int64_t bytes_of(const ir::Graph& graph, ir::ValueId v);

}  // namespace antler::compiler
