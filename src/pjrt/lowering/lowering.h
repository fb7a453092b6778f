#pragma once

#include <cstdint>
#include <string>

#include "antler/ir/graph.h"

namespace antler::pjrt {

/// The graph after the passes that a lowering wants: composites are decomposed, dead and repeated
/// work is gone, but no op is one that only the CPU's kernels know.
ir::Graph prepare(ir::Graph graph);

/// Why a graph has no lowering: an op of a region or of the graph that has no rule. Empty if all
/// have one.
std::string find_unsupported(const ir::Graph& graph);

/// A StableHLO module, in MLIR's text form, whose function @main runs one step. Its arguments are
/// the states, then the graph's inputs; its results the new values of written states, which may
/// take the memory of the old ones, then the outputs. Throws Unsupported.
std::string lower_step(const ir::Graph& graph, const std::string& name);

/// A module whose @main maps the graph's inputs to its outputs, with the present values of its states
/// as constants. Throws Unsupported, and ValueError for a graph that writes a state.
std::string lower_constants(const ir::Graph& graph, const std::string& name);

/// lower_step() for up to `block` steps: arguments are the number of steps (i32), the states, then for
/// each input of the graph `block` of them in one tensor. The outputs are those of the last step,
/// or, with `stacks_outputs`, those of all steps in one tensor.
std::string lower_block(const ir::Graph& graph, const std::string& name, int64_t block,
                        bool stacks_outputs);

}  // namespace antler::pjrt
