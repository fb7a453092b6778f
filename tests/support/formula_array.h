#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/tensor.h"

namespace antler::test {

/// Array k with the same elements as in the scripts in tools/ that compute expected values with
/// Keras 2.
inline Tensor formula_array(int64_t k, const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t step = (7 * static_cast<int64_t>(i) + 3 * k) % 11 - 5;
    values[i] = static_cast<float>(step) / 10;
  }
  return Tensor::of(values, shape);
}

}  // namespace antler::test
