#pragma once

#include <cstdint>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Moments and normalizations of keras.ops.nn.
namespace antler::ops {

struct Moments {
  Tensor mean;
  Tensor variance;
};
Moments moments(const Tensor& x, const Axes& axes, bool keepdims = false);
/// (x - mean) / sqrt(variance + epsilon) * scale + offset; the four broadcast against x. `offset`,
/// `scale` optional.
Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                           const Tensor& offset, const Tensor& scale, double epsilon = 1e-3);
/// Normalises over the last axis; gamma, beta [features] optional.
Tensor layer_normalization(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                           double epsilon = 1e-3);
/// x / sqrt(mean(x^2) + epsilon) * scale over `axes`, in float32 at least; `scale` is optional.
Tensor rms_normalization(const Tensor& x, const Tensor& scale = {}, const Axes& axes = {-1},
                         double epsilon = 1e-7);
/// Vectors along `axes` divided by their norm of an order of 1 at least: for order 2, x *
/// min(rsqrt(sum(x^2)), 1 / epsilon). Vectors of zeros stay. Throws ValueError for orders below 1.
Tensor normalize(const Tensor& x, const Axes& axes = {-1}, int64_t order = 2,
                 double epsilon = 1e-7);

}  // namespace antler::ops
