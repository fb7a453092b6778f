#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/shape.h"
#include "antler/ir/attrs.h"

namespace antler::runtime {

/// One operand of a dot_general, seen as a batch of matrices.
struct DotOperand {
  int64_t free_stride = 0;      ///< of the free dimensions, which are one
  int64_t contract_stride = 0;  ///< of the contracted dimensions, which are one
  std::vector<int64_t> batch;   ///< where each matrix begins
  /// The operand must be copied first: its dimensions in the order batch, free, contracted, dense.
  bool copied = false;
  std::vector<int64_t> copy_shape;
  std::vector<int64_t> copy_strides;  ///< of the original
};

/// dot_general as a batch of matrix products [m, k] x [k, n].
struct DotLayout {
  int64_t batches = 1;
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  DotOperand lhs;
  DotOperand rhs;
};

/// Finds the view that needs the fewest copies. `attrs`: those of dot_general.
DotLayout dot_layout(const Shape& lhs, const Shape& rhs, const ir::Attrs& attrs);

}  // namespace antler::runtime
