#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/shape.h"
#include "antler/ir/graph.h"

namespace antler::compiler {

/// constant + sum(factors[i] * variable i): an index that loop variables give.
struct IndexForm {
  int64_t constant = 0;
  std::vector<int64_t> factors;
  friend bool operator==(const IndexForm&, const IndexForm&) = default;
};

/// Why an index cannot be taken apart with the loop variables as they are: variable `variable` must
/// become two, the inner one of size `inner`. `variable` is -1 where that would not help.
struct SplitNeeded {
  int variable = -1;
  int64_t inner = 0;
};

/// The row-major index of an element of `shape` as one index per dimension. `extents`: sizes of the
/// variables.
std::optional<std::vector<IndexForm>> take_apart(const IndexForm& linear, const Shape& shape,
                                                 const std::vector<int64_t>& extents,
                                                 SplitNeeded& problem);

/// The row-major index into the operand of a view node for an element of its output.
std::optional<IndexForm> through_view(const ir::Graph& graph, const ir::Node& node,
                                      const IndexForm& linear, const std::vector<int64_t>& extents,
                                      SplitNeeded& problem);

}  // namespace antler::compiler
