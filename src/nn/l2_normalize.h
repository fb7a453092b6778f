#pragma once

#include "antler/core/tensor.h"
#include "antler/ops/reduce.h"

namespace antler {

/// Vectors along `axes` scaled to length 1: x * min(rsqrt(sum(x^2)), 1 / epsilon), Keras's
/// `ops.normalize`; a vector of zeros stays.
Tensor l2_normalize(const Tensor& x, const ops::Axes& axes, double epsilon = 1e-7);

}  // namespace antler
