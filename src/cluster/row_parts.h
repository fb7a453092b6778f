#pragma once

#include "antler/ir/graph.h"

namespace antler::cluster {

/// The same step, computing with the parts of divided variables rather than with the whole ones: a
/// part's update needs that part only, and an embedding looks its rows up in each part, so that
/// split_graph() finds what can be done where the parts are.
ir::Graph use_row_parts(const ir::Graph& graph);

}  // namespace antler::cluster
