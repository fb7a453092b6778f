#pragma once

#include "antler/ir/graph.h"

namespace antler::cluster {

/// Whether a task that holds variables may compute a node: it takes no more work than storing the
/// result.
bool is_cheap(const ir::Graph& graph, const ir::Node& node);

}  // namespace antler::cluster
