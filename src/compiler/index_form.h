#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/shape.h"
#include "antler/ir/graph.h"

namespace antler::compiler {

/// An index as a function of loop variables: constant + sum(factors[i] * variable i).
struct IndexForm {
  int64_t constant = 0;
  std::vector<int64_t> factors;
  friend bool operator==(const IndexForm&, const IndexForm&) = default;
};

/// Why an index cannot be delinearized with the loop variables as they are: `variable` must be
/// split in two, the inner one of size `inner`. -1 if a split would not help.
struct SplitNeeded {
  int variable = -1;
  int64_t inner = 0;
};

/// The row-major index of an element of `shape` as one index per dimension. `extents` are the sizes
/// of the loop variables.
std::optional<std::vector<IndexForm>> delinearize(const IndexForm& linear, const Shape& shape,
                                                  const std::vector<int64_t>& extents,
                                                  SplitNeeded& problem);

/// The row-major index into the operand of a view node for the element `linear` of its output.
std::optional<IndexForm> through_view(const ir::Graph& graph, const ir::Node& node,
                                      const IndexForm& linear, const std::vector<int64_t>& extents,
                                      SplitNeeded& problem);

}  // namespace antler::compiler
