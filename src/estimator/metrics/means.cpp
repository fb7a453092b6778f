#include "antler/estimator/metrics.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/metrics/accumulate.h"

/// Metrics that are weighted means over batches.
namespace antler::estimator::metrics {
namespace {

using Finish = std::function<Tensor(const Tensor& mean)>;

Tensor same(const Tensor& mean) { return mean; }

/// The mean of all elements, passed through `finish`.
EvalMetricOp mean_of(const std::string& scope, const Tensor& values, const Tensor& weights,
                     const Finish& finish = same) {
  const Weighted given = weighted(scope, {}, values, weights);
  const Tensor count = given.weights.defined()
                           ? ops::sum(given.weights)
                           : Tensor::full(DType::float32, {}, static_cast<double>(values.size()));
  return accumulated(scope,
                     {{"total", ops::sum(times(given.values, given.weights))}, {"count", count}},
                     [finish](const Tensors& totals) {
                       return finish(ops::divide_no_nan(totals[0], ops::maximum(totals[1], 0.0)));
                     });
}

struct Floats {
  Tensor labels;
  Tensor predictions;
};

Floats floats(const std::string& metric, const Tensor& labels, const Tensor& predictions) {
  const Weighted given = weighted(metric, labels, predictions, {});
  return {ops::cast(given.labels, DType::float32), ops::cast(given.values, DType::float32)};
}

}  // namespace

EvalMetricOp mean(const Tensor& values, const MetricOptions& options) {
  return mean_of("mean", values, options.weights);
}

EvalMetricOp mean_tensor(const Tensor& values, const MetricOptions& options) {
  const Weighted given = weighted("mean_tensor", {}, values, options.weights);
  const Tensor numbers = times(given.values, given.weights);
  return accumulated(
      "mean_tensor",
      {{"total_tensor", numbers},
       {"count_tensor", given.weights.defined() ? given.weights : ops::ones_like(numbers)}},
      [](const Tensors& totals) {
        return ops::divide_no_nan(totals[0], ops::maximum(totals[1], 0.0));
      });
}

EvalMetricOp accuracy(const Tensor& labels, const Tensor& predictions,
                      const MetricOptions& options) {
  const Weighted given = weighted("accuracy", labels, predictions, {});
  const Tensor predicted = ops::cast(given.values, given.labels.dtype());
  return mean_of("accuracy", ops::equal(predicted, given.labels), options.weights);
}

EvalMetricOp mean_absolute_error(const Tensor& labels, const Tensor& predictions,
                                 const MetricOptions& options) {
  const auto [y, p] = floats("mean_absolute_error", labels, predictions);
  return mean_of("mean_absolute_error", ops::abs(p - y), options.weights);
}

EvalMetricOp mean_squared_error(const Tensor& labels, const Tensor& predictions,
                                const MetricOptions& options) {
  const auto [y, p] = floats("mean_squared_error", labels, predictions);
  return mean_of("mean_squared_error", ops::square(p - y), options.weights);
}

EvalMetricOp root_mean_squared_error(const Tensor& labels, const Tensor& predictions,
                                     const MetricOptions& options) {
  const auto [y, p] = floats("root_mean_squared_error", labels, predictions);
  return mean_of("root_mean_squared_error", ops::square(p - y), options.weights, &ops::sqrt);
}

EvalMetricOp mean_relative_error(const Tensor& labels, const Tensor& predictions,
                                 const Tensor& normalizer, const MetricOptions& options) {
  const auto [y, p] = floats("mean_relative_error", labels, predictions);
  const Weighted by = weighted("mean_relative_error", ops::cast(normalizer, DType::float32), p, {});
  return mean_of("mean_relative_error", ops::divide_no_nan(ops::abs(y - p), by.labels),
                 options.weights);
}

EvalMetricOp mean_cosine_distance(const Tensor& labels, const Tensor& predictions, int64_t dim,
                                  const MetricOptions& options) {
  const auto [y, p] = floats("mean_cosine_distance", labels, predictions);
  return mean_of("mean_cosine_distance", ops::sum(y * p, dim, {.keepdims = true}), options.weights,
                 [](const Tensor& mean) { return 1.0 - mean; });
}

EvalMetricOp percentage_below(const Tensor& values, double threshold,
                              const MetricOptions& options) {
  return mean_of("percentage_below_threshold", ops::less(values, threshold), options.weights);
}

}  // namespace antler::estimator::metrics
