#pragma once

#include <cstdint>

#include "antler/core/dtype_arg.h"
#include "antler/core/tensor.h"

/// Integers to vectors of zeros and ones.
namespace antler::ops {

/// A new dimension `axis` of size `depth`, with 1 at the index. Indices out of range give zeros.
Tensor one_hot(const Tensor& indices, int64_t depth, int64_t axis = -1,
               DTypeArg dtype = default_float());
/// 1 if a class occurs among the indices of a sample, which lie along axis 1 (axis 0 of a vector).
/// Classes become the last axis. Indices out of range are ignored.
Tensor multi_hot(const Tensor& indices, int64_t classes, DType dtype = default_float());

}  // namespace antler::ops
