#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"

namespace antler::pjrt {

inline int64_t bytes_of(const TensorSpec& spec) {
  return spec.shape.num_elements() * static_cast<int64_t>(dtype_size(spec.dtype));
}

/// The spec of `count` arrays stacked into one.
inline TensorSpec stack_of(const TensorSpec& spec, int64_t count) {
  std::vector<int64_t> dims = spec.shape.dims();
  dims.insert(dims.begin(), count);
  return {spec.dtype, Shape(std::move(dims))};
}

}  // namespace antler::pjrt
