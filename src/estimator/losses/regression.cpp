#include "antler/estimator/losses.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/losses/shapes.h"

namespace antler::estimator::losses {
namespace {

struct Pair {
  Tensor labels;
  Tensor predictions;
};

/// Both as float32. Throws ValueError for different shapes.
Pair floats(const std::string& function, const Tensor& labels, const Tensor& predictions) {
  check_same_shape(function, labels, predictions);
  return {ops::cast(labels, DType::float32), ops::cast(predictions, DType::float32)};
}

}  // namespace

Tensor absolute_difference(const Tensor& labels, const Tensor& predictions,
                           const LossOptions& options) {
  const auto [y, p] = floats("absolute_difference", labels, predictions);
  return compute_weighted_loss(ops::abs(p - y), options);
}

Tensor mean_squared_error(const Tensor& labels, const Tensor& predictions,
                          const LossOptions& options) {
  const auto [y, p] = floats("mean_squared_error", labels, predictions);
  return compute_weighted_loss(ops::square(p - y), options);
}

Tensor huber_loss(const Tensor& labels, const Tensor& predictions,
                  const HuberLossOptions& options) {
  const auto [y, p] = floats("huber_loss", labels, predictions);
  const Tensor error = ops::abs(p - y);
  const Tensor quadratic = ops::minimum(error, options.delta);
  return compute_weighted_loss(ops::square(quadratic) * 0.5 + (error - quadratic) * options.delta,
                               {.weights = options.weights, .reduction = options.reduction});
}

Tensor log_loss(const Tensor& labels, const Tensor& predictions, const LogLossOptions& options) {
  const auto [y, p] = floats("log_loss", labels, predictions);
  return compute_weighted_loss(
      -(y * ops::log(p + options.epsilon)) - (1.0 - y) * ops::log(1.0 - p + options.epsilon),
      {.weights = options.weights, .reduction = options.reduction});
}

Tensor hinge_loss(const Tensor& labels, const Tensor& logits, const LossOptions& options) {
  const auto [y, x] = floats("hinge_loss", labels, logits);
  return compute_weighted_loss(ops::maximum(1.0 - (y * 2.0 - 1.0) * x, 0.0), options);
}

Tensor cosine_distance(const Tensor& labels, const Tensor& predictions, int64_t axis,
                       const LossOptions& options) {
  const auto [y, p] = floats("cosine_distance", labels, predictions);
  return compute_weighted_loss(1.0 - ops::sum(y * p, axis, {.keepdims = true}), options);
}

Tensor mean_pairwise_squared_error(const Tensor& labels, const Tensor& predictions,
                                   const Tensor& weights) {
  const auto [y, p] = floats("mean_pairwise_squared_error", labels, predictions);
  const Tensor factors = ops::cast(weights, DType::float32);
  check_weights(factors, y);
  const int64_t rows = y.rank() == 0 ? 1 : y.dim(0);
  const Tensor errors = ops::reshape(p - y, {rows, -1});
  const Tensor all_weights = ops::reshape(ops::broadcast_to(factors, y.shape()), {rows, -1});
  const ops::ReduceOptions kept{.keepdims = true};
  const Tensor present =
      ops::sum(ops::cast(ops::not_equal(all_weights, 0), DType::float32), 1, kept);
  const Tensor squares =
      ops::divide_no_nan(ops::sum(ops::square(errors), 1, kept) * 2.0, present - 1.0);
  const Tensor products =
      ops::divide_no_nan(ops::square(ops::sum(errors, 1, kept)) * 2.0, present * (present - 1.0));
  const Tensor per_row = squares - products;
  // As in TensorFlow, the weight of each element of a row applies to the whole row.
  return ops::sum(per_row *
                  (factors.rank() == 0 ? factors : ops::reshape(factors, {factors.dim(0), -1})));
}

}  // namespace antler::estimator::losses
