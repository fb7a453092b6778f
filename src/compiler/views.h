#pragma once

#include "antler/ir/graph.h"

namespace antler::compiler {

/// Whether a node only renames its operand: in row-major order, element i of the output is element
/// i of the input.
bool is_alias(const ir::Graph& graph, const ir::Node& node);
/// The value whose memory `v` shares: aliases are resolved.
ir::ValueId storage_base(const ir::Graph& graph, ir::ValueId v);

}  // namespace antler::compiler
