#pragma once

#include "antler/core/tensor.h"

namespace antler::test {

/// The multiples -6 to 6 of `scale`, mixed and repeated.
inline Tensor ramp(const Shape& shape, double scale) {
  Tensor t = Tensor::empty(DType::float32, shape);
  for (int64_t i = 0; i < t.size(); ++i) {
    t.mutable_data<float>()[i] = static_cast<float>(scale * static_cast<double>(i * 7 % 13 - 6));
  }
  return t;
}

}  // namespace antler::test
