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

/// Writes a nest of a fusion as loops. Gives none, and the value to keep apart in `problem`, where
/// an index cannot be expressed as a sum of multiples of loop variables.
std::optional<BuiltNest> build_nest(const ir::Graph& graph, const Fusion& fusion, int nest,
                                    ir::ValueId& problem);

}  // namespace antler::compiler
