#pragma once

#include <vector>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// Whether a node can be part of a loop nest.
bool is_fusable(const ir::Graph& graph, const ir::Node& node);

/// The cost of recomputing an element of each value, with everything between it and the nearest
/// stored values.
struct RecomputeCost {
  std::vector<int> work;      ///< see ir::OpDef::work
  std::vector<int> loads;     ///< of arrays of more than one element
  std::vector<char> depends;  ///< on anything but literals
};
RecomputeCost recompute_cost(const ir::Graph& graph, const std::vector<char>& stored);

/// A value of at least this much work is stored rather than computed twice.
inline constexpr int kExpensive = 6;
/// The same for loads.
inline constexpr int kManyLoads = 3;

}  // namespace antler::compiler
