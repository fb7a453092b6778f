#pragma once

#include <cstdint>

#include "runtime/cpu/window/relu_pool_avx512.h"

namespace antler::runtime::avx512 {

inline constexpr int64_t kShallowLanes = 16;

/// A row of 2 x 2 pooling windows of a convolved image, and the elements of x in their sums.
struct ShallowRow {
  const float* x;          ///< first element of the sum of the first window's first pixel
  int64_t row_step;        ///< stride of x between pixels of the convolved image, vertically
  int64_t column_step;     ///< and horizontally
  const int64_t* offsets;  ///< of the elements of a sum from the first one
  int64_t steps;           ///< elements of a sum
  int64_t channels;        ///< of the convolved image, a multiple of kShallowLanes
  int64_t windows;
};

/// pooled = max of relu(sum + bias) over each window; index, unless null: the first pixel with that
/// value. weights: [steps][channels], bias: [channels], results: [windows][channels].
void shallow_windows(const ShallowRow& row, const float* weights, const float* bias, float* pooled,
                     uint8_t* index);

/// sums[step][channel] += x * dy over all windows, where x is the element `step` of the sum of the
/// pixel index[window][channel].
void add_shallow_products(const ShallowRow& row, const uint8_t* index, const float* dy,
                          float* sums);

}  // namespace antler::runtime::avx512
