#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

namespace antler {

/// How the factors of a quantized operand meet the output of a product. They are found with
/// dimensions of size 1 at `reduced`; the layout that broadcasts to the output, in which files keep
/// those of the kernel, is Keras's.
struct ScaleLayout {
  ops::Axes reduced = {};             ///< dimensions that the output does not have
  std::vector<int64_t> order = {};    ///< first the dimensions are put into this order,
  std::vector<int64_t> added = {};    ///< then dimensions of size 1 come in here,
  std::vector<int64_t> removed = {};  ///< and those go

  Tensor apply(const Tensor& scale) const;
  /// The reverse of apply().
  Tensor undo(const Tensor& scale) const;
  /// Of a matrix whose factors are a vector: one per index of the other axis.
  static ScaleLayout of_matrix(int reduced);
};

}  // namespace antler
