#pragma once

#include "antler/ir/graph.h"

namespace antler::compiler {

/// Whether a node only renames its operand: element i of the output in row-major order is element i
/// of the input.
bool is_alias(const ir::Graph& graph, const ir::Node& node);
/// The value whose bytes `v` shares: `v` without the aliases that make it.
ir::ValueId storage_base(const ir::Graph& graph, ir::ValueId v);

}  // namespace antler::compiler
