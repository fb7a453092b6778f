#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/shape.h"
#include "antler/ir/attrs.h"

namespace antler::runtime {

/// One operand of a dot_general, viewed as a batch of matrices.
struct DotOperand {
  int64_t free_stride = 0;      ///< of the merged free dimensions
  int64_t contract_stride = 0;  ///< of the merged contracted dimensions
  std::vector<int64_t> batch;   ///< offset of each matrix
  /// The dimensions cannot be merged in place: the operand is first copied to a dense array
  /// [batch..., free..., contracted...]. Strides and offsets are those of the copy.
  bool copied = false;
  std::vector<int64_t> copy_shape;
  std::vector<int64_t> copy_strides;  ///< of the original operand
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

/// The layout that needs the fewest copies. `attrs`: the attributes of the dot_general.
DotLayout dot_layout(const Shape& lhs, const Shape& rhs, const ir::Attrs& attrs);

}  // namespace antler::runtime
