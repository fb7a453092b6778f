#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/fusion.h"
#include "compiler/loop_nest.h"

namespace antler::compiler {

struct BuiltNest {
  LoopNest nest;
  std::vector<ir::ValueId> buffers;  ///< the value of each buffer of the nest
  std::string name;
};

/// Builds the loops of one nest of a fusion. Returns nullopt and stores the value to separate in
/// `problem` if an index is not a linear function of loop variables.
std::optional<BuiltNest> build_nest(const ir::Graph& graph, const Fusion& fusion, int nest,
                                    ir::ValueId& problem);

}  // namespace antler::compiler
