#pragma once

#include "antler/ir/graph.h"

namespace antler::cluster {

/// The attribute of a lookup in a part: the step needs only the rows with ids in [begin, end). All
/// other rows may have arbitrary values.
inline constexpr const char* kNeededRows = "needed_rows";

/// Rewrites a step so that it computes with the parts of divided variables instead of the whole
/// variables: a part's update needs only that part, and an embedding looks up its rows in each
/// part. Then split_graph() finds the work that can be done where the parts are.
ir::Graph use_row_parts(const ir::Graph& graph);

}  // namespace antler::cluster
