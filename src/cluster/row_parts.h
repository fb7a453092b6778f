#pragma once

#include "antler/ir/graph.h"

namespace antler::cluster {

/// Rewrites a step so that it computes with the parts of divided variables instead of the whole
/// ones: a part's update needs that part only, and an embedding looks up its rows in each part.
/// Then split_graph() finds the work that can be done where the parts are.
ir::Graph use_row_parts(const ir::Graph& graph);

}  // namespace antler::cluster
