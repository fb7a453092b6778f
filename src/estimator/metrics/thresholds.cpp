#include "estimator/metrics/thresholds.h"

#include "antler/base/error.h"
#include "antler/estimator/metrics.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/value_check.h"

namespace antler::estimator::metrics {
namespace {

constexpr double kEpsilon = 1e-7;

Tensor as_row(const Tensor& x) { return ops::reshape(x, {1, -1}); }
Tensor threshold_fraction(const Tensors& totals) {
  return totals[0] / (totals[0] + totals[1] + kEpsilon);
}

}  // namespace

ThresholdCounts::ThresholdCounts(const std::string& metric, const Tensor& labels,
                                 const Tensor& predictions, const std::vector<double>& thresholds,
                                 const Tensor& weights) {
  if (thresholds.empty()) throw ValueError("{}: expected at least one threshold.", metric);
  const Weighted given = weighted(metric, labels, predictions, weights);
  require_values(given.values, 0, 1, metric + ": predictions must be in [0, 1]. Received: {}.");
  const Tensor limits = ops::cast(Tensor::of(thresholds), DType::float32);
  positive_ = as_row(is_true(given.labels));
  above_ = ops::cast(
      ops::greater(as_row(ops::cast(given.values, DType::float32)), ops::expand_dims(limits, 1)),
      DType::float32);
  if (given.weights.defined()) weights_ = as_row(given.weights);
}

Sum ThresholdCounts::true_positives() const {
  return {"true_positives", ops::sum(times(positive_ * above_, weights_), 1)};
}
Sum ThresholdCounts::true_negatives() const {
  return {"true_negatives", ops::sum(times((1.0 - positive_) * (1.0 - above_), weights_), 1)};
}
Sum ThresholdCounts::false_positives() const {
  return {"false_positives", ops::sum(times((1.0 - positive_) * above_, weights_), 1)};
}
Sum ThresholdCounts::false_negatives() const {
  return {"false_negatives", ops::sum(times(positive_ * (1.0 - above_), weights_), 1)};
}
std::vector<Sum> ThresholdCounts::all() const {
  return {true_positives(), false_positives(), true_negatives(), false_negatives()};
}

std::vector<double> even_thresholds(int64_t count, bool last_inside) {
  std::vector<double> thresholds = {-kEpsilon};
  for (int64_t i = 1; i < count - 1; ++i)
    thresholds.push_back(static_cast<double>(i) / static_cast<double>(count - 1));
  thresholds.push_back(last_inside ? 1 - kEpsilon : 1 + kEpsilon);
  return thresholds;
}

EvalMetricOp true_positives_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                          const std::vector<double>& thresholds,
                                          const MetricOptions& options) {
  const std::string name = "true_positives_at_thresholds";
  const ThresholdCounts counts(name, labels, predictions, thresholds, options.weights);
  return counted(name, counts.true_positives());
}

EvalMetricOp true_negatives_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                          const std::vector<double>& thresholds,
                                          const MetricOptions& options) {
  const std::string name = "true_negatives_at_thresholds";
  const ThresholdCounts counts(name, labels, predictions, thresholds, options.weights);
  return counted(name, counts.true_negatives());
}

EvalMetricOp false_positives_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                           const std::vector<double>& thresholds,
                                           const MetricOptions& options) {
  const std::string name = "false_positives_at_thresholds";
  const ThresholdCounts counts(name, labels, predictions, thresholds, options.weights);
  return counted(name, counts.false_positives());
}

EvalMetricOp false_negatives_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                           const std::vector<double>& thresholds,
                                           const MetricOptions& options) {
  const std::string name = "false_negatives_at_thresholds";
  const ThresholdCounts counts(name, labels, predictions, thresholds, options.weights);
  return counted(name, counts.false_negatives());
}

EvalMetricOp precision_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                     const std::vector<double>& thresholds,
                                     const MetricOptions& options) {
  const std::string name = "precision_at_thresholds";
  const ThresholdCounts counts(name, labels, predictions, thresholds, options.weights);
  return accumulated(name, {counts.true_positives(), counts.false_positives()}, threshold_fraction);
}

EvalMetricOp recall_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                  const std::vector<double>& thresholds,
                                  const MetricOptions& options) {
  const std::string name = "recall_at_thresholds";
  const ThresholdCounts counts(name, labels, predictions, thresholds, options.weights);
  return accumulated(name, {counts.true_positives(), counts.false_negatives()}, threshold_fraction);
}

}  // namespace antler::estimator::metrics
