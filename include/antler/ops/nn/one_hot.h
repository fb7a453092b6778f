#pragma once

#include <cstdint>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

/// Integers to vectors of zeros and ones.
namespace antler::ops {

/// Options of one_hot().
struct OneHotOptions {
  int64_t axis = -1;  ///< of the new dimension
  DTypeArg dtype = default_float();
};
/// A new dimension of size `num_classes`, with 1 at the index. Indices out of range give zeros.
Tensor one_hot(const Tensor& indices, int64_t num_classes, const OneHotOptions& options = {});
ANTLER_KEYWORD_FUNCTION(one_hot, OneHotOptions, const Tensor&, int64_t)

/// Options of multi_hot().
struct MultiHotOptions {
  int64_t axis = -1;  ///< of the classes
  DTypeArg dtype = default_float();
};
/// 1 for each class that occurs among the indices of a sample, which are along axis 1 (axis 0 of a
/// vector). Classes become the last axis. Indices out of range are ignored.
Tensor multi_hot(const Tensor& indices, int64_t num_classes, const MultiHotOptions& options = {});
ANTLER_KEYWORD_FUNCTION(multi_hot, MultiHotOptions, const Tensor&, int64_t)

}  // namespace antler::ops
