#pragma once

#include <vector>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// For programs that send messages to other workers while they compute: the number of the first
/// worker_all_reduce_start that needs a value, by value; their count if none does. All 0 in other
/// programs.
std::vector<int> message_stages(const ir::Graph& graph);

}  // namespace antler::compiler
