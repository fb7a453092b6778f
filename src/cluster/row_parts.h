#pragma once

#include "antler/ir/graph.h"

namespace antler::cluster {

/// The attribute of a lookup in a part: the ids [begin, end) of the rows of it that the step needs.
/// All others may have any values.
inline constexpr const char* kNeededRows = "needed_rows";

/// Rewrites a step so that it computes with the parts of divided variables instead of the whole
/// ones: a part's update needs that part only, and an embedding looks up its rows in each part.
/// Then split_graph() finds the work that can be done where the parts are.
ir::Graph use_row_parts(const ir::Graph& graph);

}  // namespace antler::cluster
