#pragma once

#include "antler/ir/graph.h"

namespace antler::cluster {

/// Whether a task that holds variables may compute a node: its work is no more than that of storing
/// the result.
bool is_cheap(const ir::Graph& graph, const ir::Node& node);

}  // namespace antler::cluster
