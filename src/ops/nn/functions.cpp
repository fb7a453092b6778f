#include <cmath>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

namespace antler::ops {

Tensor normalize(const Tensor& x, const Axes& axes, int64_t order, double epsilon) {
  if (order < 1) {
    throw ValueError("Argument `order` must be an int >= 1. Received: order=" +
                     std::to_string(order));
  }
  const Tensor f = to_float("normalize", x);
  if (order != 2) {
    const Tensor size = absolute(f);
    const auto p = static_cast<double>(order);
    const Tensor norm =
        order == 1 ? sum(size, axes, true) : power(sum(power(size, p), axes, true), 1 / p);
    return divide(f, maximum(norm, epsilon));
  }
  const Tensor squares = sum(square(f), axes, true);
  // The root is taken of positive numbers only, so that the gradient at zero is none and not NaN.
  const Tensor positive = greater(squares, 0);
  const Tensor inverse = rsqrt(where(positive, squares, 1));
  return multiply(f, minimum(where(positive, inverse, 1 / epsilon), 1 / epsilon));
}

Tensor rms_normalization(const Tensor& x, const Tensor& scale, const Axes& axes, double epsilon) {
  const Tensor f = to_float("rms_normalization", x);
  const Tensor wide = cast(f, promote_types(f.dtype(), DType::float32));
  Tensor y = multiply(wide, rsqrt(add(mean(square(wide), axes, true), epsilon)));
  if (scale.defined()) y = multiply(y, cast(scale, wide.dtype()));
  return cast(y, f.dtype());
}

Tensor multi_hot(const Tensor& indices, int64_t classes, DType dtype) {
  const Tensor hot = one_hot(cast(indices, DType::int32), classes, -1, dtype);
  return max(hot, {indices.rank() > 1 ? 1 : 0});
}

Tensor psnr(const Tensor& x, const Tensor& y, double max_val) {
  const Tensor error = mean(square(subtract(to_float("psnr", x), to_float("psnr", y))));
  return subtract(20 * std::log10(max_val), multiply(log10(error), 10));
}

}  // namespace antler::ops
