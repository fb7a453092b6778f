#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <training.pb.h>

#include "antler/ir/graph.h"

namespace antler::cluster {

/// Marks the states that are tables of which a step needs only the rows that its arguments select,
/// like the ids of an embedding. The rows must be smaller than the table.
std::vector<bool> looked_up_states(const ir::Graph& graph);

/// A lookup of rows in tables.
struct RowLookup {
  /// States: the tables. Inputs: some arguments of the step. Outputs: the rows, then the ids that
  /// the filters use.
  ir::Graph graph;
  std::vector<int64_t> arguments;
  /// The values of the step's graph that correspond to the first outputs.
  std::vector<ir::ValueId> rows;
  /// Which of the rows the step needs.
  std::vector<RowFilter> filters;
};

/// `tables` are indices of states that looked_up_states() marked.
RowLookup row_lookup(const ir::Graph& graph, const std::vector<size_t>& tables);

}  // namespace antler::cluster
