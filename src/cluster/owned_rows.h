#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "antler/ir/graph.h"

namespace antler::cluster {

/// Rows whose ids are in [0, end) are added to a table; other ids are not in the table.
struct OwnedRows {
  ir::ValueId ids;
  int64_t end;
};

/// The part of `rows` that a task needs: only the rows that it scatters into its tables, or nullopt
/// if it needs more. `computes` tells which values the task computes.
std::optional<std::vector<OwnedRows>> scattered_rows(
    const ir::Graph& graph, const std::function<bool(ir::ValueId)>& computes, ir::ValueId rows);

/// The part of `ids` that a task needs: the ids of rows of its table, or nullopt if it needs more.
std::optional<OwnedRows> scattered_ids(const ir::Graph& graph,
                                       const std::function<bool(ir::ValueId)>& computes,
                                       ir::ValueId ids);

}  // namespace antler::cluster
