#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

namespace antler {

/// How the scales of a quantized operand broadcast to the output of a product. They are computed
/// with size 1 along `reduced`; files contain the scales of kernels in this layout, as in Keras.
struct ScaleLayout {
  ops::Axes reduced = {};             ///< dimensions that the output does not have
  std::vector<int64_t> order = {};    ///< first, the dimensions are permuted to this order,
  std::vector<int64_t> added = {};    ///< then dimensions of size 1 are inserted here,
  std::vector<int64_t> removed = {};  ///< and these are removed

  Tensor apply(const Tensor& scale) const;
  /// The inverse of apply().
  Tensor undo(const Tensor& scale) const;
  /// The layout for a matrix whose scales are a vector, one per index of the axis that is not
  /// reduced.
  static ScaleLayout of_matrix(int reduced);
};

}  // namespace antler
