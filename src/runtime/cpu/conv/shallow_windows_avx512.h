#pragma once

#include <cstdint>

#include "runtime/cpu/window/relu_pool_avx512.h"

namespace antler::runtime::avx512 {

inline constexpr int64_t kShallowLanes = 16;

/// A row of windows of 2 x 2 pixels of a convolved image, and what their sums are made of.
struct ShallowRow {
  const float* x;          ///< first element of the sum of the first window's first pixel
  int64_t row_step;        ///< elements of x from a pixel's sum to that of the one below
  int64_t column_step;     ///< and of the one beside
  const int64_t* offsets;  ///< of the elements of a sum from its first
  int64_t steps;           ///< elements of a sum
  int64_t channels;        ///< of the convolved image, a multiple of kShallowLanes
  int64_t windows;
};

/// The largest relu(sum + bias) of each window and, unless `index` is null, which pixel it is, the
/// first of equal ones. weights: [steps][channels], bias: [channels], results: [windows][channels].
void shallow_windows(const ShallowRow& row, const float* weights, const float* bias, float* pooled,
                     uint8_t* index);

/// sums[step][channel] += x * dy over all windows, x of the sum of the pixel that the index names.
void add_shallow_products(const ShallowRow& row, const uint8_t* index, const float* dy,
                          float* sums);

}  // namespace antler::runtime::avx512
