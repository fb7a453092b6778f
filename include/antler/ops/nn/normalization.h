#pragma once

#include <cstdint>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Moments and normalizations of keras.ops.nn.
namespace antler::ops {

/// Result of moments().
struct Moments {
  Tensor mean;
  Tensor variance;
};
/// Mean and variance over axes.
Moments moments(const Tensor& x, const Axes& axes, ReduceOptions options = {});
/// (x - mean) / sqrt(variance + epsilon) * scale + offset. All four broadcast to x; `offset` and
/// `scale` may be undefined.
Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                           const Tensor& offset, const Tensor& scale, double epsilon = 1e-3);
/// Normalizes over `axes`, in at least float32. gamma and beta, with the sizes of these axes, may
/// be undefined.
Tensor layer_normalization(const Tensor& x, const Tensor& gamma = {}, const Tensor& beta = {},
                           const Axes& axes = {-1}, double epsilon = 1e-7);
/// x / sqrt(mean(x^2) + epsilon) * scale, with the mean over `axes`, in at least float32. `scale`
/// may be undefined.
Tensor rms_normalization(const Tensor& x, const Tensor& scale = {}, const Axes& axes = {-1},
                         double epsilon = 1e-7);
/// Divides vectors along `axes` by their norm; for order 2, x * min(rsqrt(sum(x^2)), 1 / epsilon).
/// Zero vectors stay zero. Throws ValueError for orders below 1.
Tensor normalize(const Tensor& x, const Axes& axes = {-1}, int64_t order = 2,
                 double epsilon = 1e-7);

}  // namespace antler::ops
