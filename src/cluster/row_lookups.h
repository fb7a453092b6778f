#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "antler/ir/graph.h"

namespace antler::cluster {

/// Which states are tables of which a step needs some rows only, which its arguments name, as the
/// ids of an embedding do. The rows must be smaller than the table.
std::vector<bool> looked_up_states(const ir::Graph& graph);

/// What is looked up in tables.
struct RowLookup {
  /// Its states are the tables, its inputs some arguments of the step, its outputs the rows.
  ir::Graph graph;
  std::vector<int64_t> arguments;
  /// The values of the step that its outputs are.
  std::vector<ir::ValueId> rows;
};

/// `tables` are numbers of states that looked_up_states() found.
RowLookup row_lookup(const ir::Graph& graph, const std::vector<size_t>& tables);

}  // namespace antler::cluster
