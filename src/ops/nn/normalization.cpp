#include <vector>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

/// Statistics of half-precision inputs are computed in float32 and clipped to the range of float16.
Tensor to_half(const Tensor& statistic, DType dtype) {
  constexpr double kLargest = 65504;
  return cast(clip(statistic, -kLargest, kLargest), dtype);
}

/// x * factor + shift: one multiplication and one addition per element of x; factor and shift are
/// per feature.
Tensor scale_and_shift(const Tensor& x, const Tensor& mean, const Tensor& variance,
                       const Tensor& offset, const Tensor& scale, double epsilon) {
  Tensor factor = rsqrt(add(variance, epsilon));
  if (scale.defined()) factor = multiply(factor, scale);
  Tensor shift = multiply(negative(mean), factor);
  if (offset.defined()) shift = add(shift, offset);
  return add(multiply(x, factor), shift);
}

}  // namespace

Moments moments(const Tensor& x, const Axes& axes, ReduceOptions options) {
  const Tensor given = to_float("moments", x);
  const bool half = is_half(given.dtype());
  const Tensor f = half ? cast(given, DType::float32) : given;
  const ir::Ints reduced = normalize_axes("moments", axes, f.rank());
  Tensor average = mean(f, reduced, {.keepdims = true});
  Tensor spread = mean(square(subtract(f, average)), reduced, {.keepdims = true});
  if (!options.keepdims) {
    Shape shape;
    for (int64_t axis : other_axes(reduced, f.rank())) {
      shape.push_back(f.shape()[static_cast<int>(axis)]);
    }
    average = reshape(average, shape);
    spread = reshape(spread, shape);
  }
  if (!half) return {average, spread};
  return {to_half(average, given.dtype()), to_half(spread, given.dtype())};
}

Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                           const Tensor& offset, const Tensor& scale, double epsilon) {
  return scale_and_shift(x, mean, variance, offset, scale, epsilon);
}

Tensor batch_normalization_along(const Tensor& x, const Tensor& mean, const Tensor& variance,
                                 int64_t axis, const BatchNormalizationOptions& options) {
  require_defined("batch_normalization", x);
  const auto at = static_cast<int>(normalize_axis_of("batch_normalization", axis, x.rank()));
  Shape along(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  along[at] = x.shape()[at];
  const auto fitted = [&](const Tensor& t) { return t.defined() ? reshape(t, along) : t; };
  return scale_and_shift(x, fitted(mean), fitted(variance), fitted(options.offset),
                         fitted(options.scale), options.epsilon);
}

Tensor normalize_layer(const Tensor& x, const Tensor& gamma, const Tensor& beta, const Axes& axes,
                       double epsilon) {
  const Tensor given = to_float("layer_normalization", x);
  const Tensor f = is_half(given.dtype()) ? cast(given, DType::float32) : given;
  const Moments m = moments(f, axes, {.keepdims = true});
  Shape along(std::vector<int64_t>(static_cast<size_t>(f.rank()), 1));
  bool last = true;
  for (const int64_t axis : axes) {
    const int64_t at = normalize_axis_of("layer_normalization", axis, f.rank());
    along[static_cast<int>(at)] = f.shape()[static_cast<int>(at)];
    last = last && at == f.rank() - 1;
  }
  const auto fitted = [&](const Tensor& t) {
    if (!t.defined()) return t;
    const Tensor wide = cast(t, f.dtype());
    return last ? wide : reshape(wide, along);
  };
  return cast(scale_and_shift(f, m.mean, m.variance, fitted(beta), fitted(gamma), epsilon),
              given.dtype());
}

Tensor normalize(const Tensor& x, const Axes& axes, int64_t order, double epsilon) {
  if (order < 1) {
    throw ValueError("Argument `order` must be an int >= 1. Received: order={}", order);
  }
  const Tensor f = to_float("normalize", x);
  if (order != 2) {
    const Tensor size = absolute(f);
    const auto p = static_cast<double>(order);
    const Tensor norm = order == 1 ? sum(size, axes, {.keepdims = true})
                                   : power(sum(power(size, p), axes, {.keepdims = true}), 1 / p);
    return divide(f, maximum(norm, epsilon));
  }
  const Tensor squares = sum(square(f), axes, {.keepdims = true});
  // The root is only taken of positive numbers, so that the gradient at zero is 0 and not NaN.
  const Tensor positive = greater(squares, 0);
  const Tensor inverse = rsqrt(where(positive, squares, 1));
  return multiply(f, minimum(where(positive, inverse, 1 / epsilon), 1 / epsilon));
}

Tensor normalize_rms(const Tensor& x, const Tensor& scale, const Axes& axes, double epsilon) {
  const Tensor f = to_float("rms_normalization", x);
  const Tensor wide = cast(f, promote_types(f.dtype(), DType::float32));
  Tensor y = multiply(wide, rsqrt(add(mean(square(wide), axes, {.keepdims = true}), epsilon)));
  if (scale.defined()) y = multiply(y, cast(scale, wide.dtype()));
  return cast(y, f.dtype());
}

}  // namespace antler::ops
