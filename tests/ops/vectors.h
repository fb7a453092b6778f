#pragma once

#include <vector>

#include "support/op_harness.h"

namespace antler::test {

/// A float32 vector.
inline Tensor f32(const std::vector<double>& values) {
  return tensor_of(DType::float32, {static_cast<int64_t>(values.size())}, values);
}

}  // namespace antler::test
