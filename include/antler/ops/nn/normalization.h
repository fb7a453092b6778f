#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "antler/core/keyword.h"
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
/// Options of batch_normalization() with an axis.
struct BatchNormalizationOptions {
  Tensor offset = {};      ///< default: 0
  Tensor scale = {};       ///< default: 1
  double epsilon = 0.001;  ///< added to the variance
};
/// Keras's batch_normalization(): all four are vectors along `axis`.
Tensor batch_normalization_along(const Tensor& x, const Tensor& mean, const Tensor& variance,
                                 int64_t axis, const BatchNormalizationOptions& options = {});
// A template, so that a number is an axis rather than an offset.
template <std::integral Axis>
Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance, Axis axis,
                           const BatchNormalizationOptions& options = {}) {
  return batch_normalization_along(x, mean, variance, axis, options);
}
/// Normalizes over `axes`, in at least float32. gamma and beta, with the sizes of these axes, may
/// be undefined.
Tensor normalize_layer(const Tensor& x, const Tensor& gamma, const Tensor& beta, const Axes& axes,
                       double epsilon);
// Templates, because g++ prefers functions to them: it would convert options in braces to a Tensor.
template <class Gamma = Tensor>
Tensor layer_normalization(const Tensor& x, const std::type_identity_t<Gamma>& gamma,
                           const Tensor& beta = {}, const Axes& axes = {-1},
                           double epsilon = 1e-7) {
  return normalize_layer(x, gamma, beta, axes, epsilon);
}
/// Options of layer_normalization().
struct LayerNormalizationOptions {
  Tensor gamma = {};      ///< factor; default: 1
  Tensor beta = {};       ///< added; default: 0
  Axes axis = {-1};       ///< normalized together
  double epsilon = 1e-7;  ///< added to the variance
};
/// The same by name.
inline Tensor layer_normalization(const Tensor& x, const LayerNormalizationOptions& options = {}) {
  return normalize_layer(x, options.gamma, options.beta, options.axis, options.epsilon);
}
ANTLER_KEYWORD_FUNCTION(layer_normalization, LayerNormalizationOptions, const Tensor&)
/// x / sqrt(mean(x^2) + epsilon) * scale, with the mean over `axes`, in at least float32. `scale`
/// may be undefined.
Tensor normalize_rms(const Tensor& x, const Tensor& scale, const Axes& axes, double epsilon);
template <class Scale = Tensor>
Tensor rms_normalization(const Tensor& x, const std::type_identity_t<Scale>& scale,
                         const Axes& axes = {-1}, double epsilon = 1e-7) {
  return normalize_rms(x, scale, axes, epsilon);
}
/// Options of rms_normalization().
struct RmsNormalizationOptions {
  Tensor scale = {};      ///< factor; default: 1
  Axes axis = {-1};       ///< normalized together
  double epsilon = 1e-7;  ///< added to the mean square
};
/// The same by name.
inline Tensor rms_normalization(const Tensor& x, const RmsNormalizationOptions& options = {}) {
  return normalize_rms(x, options.scale, options.axis, options.epsilon);
}
ANTLER_KEYWORD_FUNCTION(rms_normalization, RmsNormalizationOptions, const Tensor&)
/// Divides vectors along `axes` by their norm; for order 2, x * min(rsqrt(sum(x^2)), 1 / epsilon).
/// Zero vectors stay zero. Throws ValueError for orders below 1.
Tensor normalize(const Tensor& x, const Axes& axes = {-1}, int64_t order = 2,
                 double epsilon = 1e-7);

}  // namespace antler::ops
