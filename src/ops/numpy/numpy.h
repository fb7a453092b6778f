#pragma once

#include <cstdint>
#include <optional>

#include "antler/core/tensor.h"

/// What the functions in NumPy's manner share.
namespace antler::ops {

/// The shape of `x`, of which a function needs all sizes. Throws ValueError naming it where some
/// are unknown.
const Shape& known_shape(const char* function, const Tensor& x);

/// One row of all elements where no axis is given, else `x` itself; and the axis, not negative.
struct Lane {
  Tensor x;
  int axis = 0;
};
Lane lane_along(const char* function, const Tensor& x, std::optional<int64_t> axis);

}  // namespace antler::ops
