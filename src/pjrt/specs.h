#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"

namespace antler::pjrt {

/// The spec of `count` arrays stacked into one.
inline TensorSpec stack_of(const TensorSpec& spec, int64_t count) {
  std::vector<int64_t> dims = spec.shape.dims();
  dims.insert(dims.begin(), count);
  return {spec.dtype, Shape(std::move(dims))};
}

}  // namespace antler::pjrt
