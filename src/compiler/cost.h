#pragma once

#include <vector>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// Whether a node can be part of a loop nest.
bool is_fusable(const ir::Graph& graph, const ir::Node& node);

/// What computing an element of each value again would take, if all between it and the nearest
/// stored values is computed with it.
struct RecomputeCost {
  std::vector<int> work;
  std::vector<int> loads;     ///< of arrays of more than one element
  std::vector<char> depends;  ///< on anything but literals
};
RecomputeCost recompute_cost(const ir::Graph& graph, const std::vector<char>& stored);

/// Work from which on a value is rather stored than computed twice.
inline constexpr int kExpensive = 6;
/// The same for loads.
inline constexpr int kManyLoads = 3;

}  // namespace antler::compiler
