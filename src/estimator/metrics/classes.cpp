#include "antler/base/format.h"
#include "antler/estimator/metrics.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/losses/shapes.h"
#include "estimator/metrics/accumulate.h"
#include "estimator/value_check.h"

/// Metrics of class numbers.
namespace antler::estimator::metrics {
namespace {

struct Classes {
  Tensor labels;       ///< int64 vector
  Tensor predictions;  ///< int64 vector
  Tensor weights;      ///< float32 vector, or undefined
};

void check_classes(const std::string& metric, const char* what, const Tensor& x, int64_t classes) {
  require_classes(x, classes,
                  format("{}: {} must be in [0, {}). Received: {{}}.", metric, what, classes));
}

Classes classes(const std::string& metric, const Tensor& labels, const Tensor& predictions,
                int64_t num_classes, const Tensor& weights) {
  const auto flat = [](const Tensor& x, DType dtype) {
    return ops::reshape(ops::cast(x, dtype), {-1});
  };
  Classes result{flat(labels, DType::int64), flat(predictions, DType::int64), {}};
  check_same_shape(metric, result.labels, result.predictions);
  check_classes(metric, "labels", result.labels, num_classes);
  if (weights.defined()) {
    const Tensor factors =
        weights.rank() == 0 ? ops::cast(weights, DType::float32) : flat(weights, DType::float32);
    check_weights(factors, result.labels);
    result.weights = ops::broadcast_to(factors, result.labels.shape());
  }
  return result;
}

}  // namespace

EvalMetricOp mean_per_class_accuracy(const Tensor& labels, const Tensor& predictions,
                                     int64_t num_classes, const MetricOptions& options) {
  const std::string name = "mean_accuracy";
  const Classes given = classes(name, labels, predictions, num_classes, options.weights);
  const Tensor ones = given.weights.defined()
                          ? given.weights
                          : Tensor::full(DType::float32, given.labels.shape(), 1);
  const Tensor correct = times(ops::equal(given.labels, given.predictions), given.weights);
  return accumulated(
      name,
      {{"count", ops::segment_sum(correct, given.labels, num_classes)},
       {"total", ops::segment_sum(ones, given.labels, num_classes)}},
      [](const Tensors& totals) {
        return ops::mean(ops::divide_no_nan(totals[0], ops::maximum(totals[1], 0.0)));
      });
}

EvalMetricOp mean_iou(const Tensor& labels, const Tensor& predictions, int64_t num_classes,
                      const MetricOptions& options) {
  const std::string name = "mean_iou";
  const Classes given = classes(name, labels, predictions, num_classes, options.weights);
  check_classes(name, "predictions", given.predictions, num_classes);
  const Tensor ones = given.weights.defined()
                          ? given.weights
                          : Tensor::full(DType::float32, given.labels.shape(), 1);
  // float64, because float32 counts are exact only up to 2^24.
  const Tensor matrix = ops::reshape(
      ops::segment_sum(ops::cast(ones, DType::float64),
                       given.labels * num_classes + given.predictions, num_classes * num_classes),
      {num_classes, num_classes});
  return accumulated(name, {{"total_confusion_matrix", matrix}}, [](const Tensors& totals) {
    const auto as_float = [](const Tensor& x) { return ops::cast(x, DType::float32); };
    const Tensor both = as_float(ops::diagonal(totals[0]));
    const Tensor either =
        as_float(ops::sum(totals[0], 0)) + as_float(ops::sum(totals[0], 1)) - both;
    const Tensor occurring = ops::sum(ops::cast(ops::not_equal(either, 0.0), DType::float32));
    return ops::divide_no_nan(ops::sum(ops::divide_no_nan(both, either)), occurring);
  });
}

}  // namespace antler::estimator::metrics
