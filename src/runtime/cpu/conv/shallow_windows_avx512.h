#pragma once

#include <cstdint>

#include "runtime/cpu/window/relu_pool_avx512.h"

namespace antler::runtime::avx512 {

inline constexpr int64_t kShallowLanes = 16;

/// A row of windows of 2 x 2 convolved pixels, and what they come from.
struct ShallowRow {
  const float* x;          ///< first element of the sum of the first window's first pixel
  int64_t row_step;        ///< elements of x from a pixel's sum to that of the one below
  int64_t column_step;     ///< and of the one beside
  const int64_t* offsets;  ///< of the elements of a sum from its first
  int64_t steps;           ///< elements of a sum
  const float* weights;    ///< [steps][channels]
  const float* bias;       ///< [channels]
  int64_t channels;        ///< a multiple of kShallowLanes
  int64_t windows;
  float* pooled;   ///< [windows][channels]
  uint8_t* index;  ///< the same, or null
};

/// The largest relu(sum + bias) of each window and which pixel it is, the first of equal ones.
void shallow_windows(const ShallowRow& row);

}  // namespace antler::runtime::avx512
