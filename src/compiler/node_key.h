#pragma once

#include <string>
#include <vector>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// A string that is equal for nodes that compute the same result from the same `inputs` (value ids
/// in any numbering that the caller uses). Small literals are compared by content.
std::string key_of(const ir::Node& node, const std::vector<ir::ValueId>& inputs);

}  // namespace antler::compiler
