#pragma once

#include <cstdint>

#include "antler/core/dtype_arg.h"
#include "antler/core/tensor.h"

/// Integers as vectors of zeros and ones.
namespace antler::ops {

/// [..., depth] with 1 at the index; indices outside give a row of zeros.
Tensor one_hot(const Tensor& indices, int64_t depth, int64_t axis = -1,
               DTypeArg dtype = DType::float32);
/// 1 where a class occurs among the indices of a sample (axis 1, or 0 of a vector); classes are a
/// new last axis. Indices outside count nowhere.
Tensor multi_hot(const Tensor& indices, int64_t classes, DType dtype = DType::float32);

}  // namespace antler::ops
