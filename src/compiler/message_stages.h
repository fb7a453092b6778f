#pragma once

#include <vector>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// For each value, the number of the first worker_all_reduce_start that needs it, or the count of
/// these nodes if none does. For programs that send messages to other workers while they compute;
/// all 0 in other programs.
std::vector<int> message_stages(const ir::Graph& graph);

}  // namespace antler::compiler
