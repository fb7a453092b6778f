#include "antler/estimator/metrics.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/metrics/accumulate.h"

/// Counts of boolean predictions.
namespace antler::estimator::metrics {
namespace {

/// The four counts of a batch. Each is computed only if it is used.
struct Counts {
  Counts(const std::string& metric, const Tensor& labels, const Tensor& predictions,
         const MetricOptions& options) {
    const Weighted given = weighted(metric, labels, predictions, options.weights);
    label = is_true(given.labels);
    prediction = is_true(given.values);
    weights = given.weights;
  }
  Sum true_positives() const {
    return {"true_positives", ops::sum(times(label * prediction, weights))};
  }
  Sum true_negatives() const {
    return {"true_negatives", ops::sum(times((1.0 - label) * (1.0 - prediction), weights))};
  }
  Sum false_positives() const {
    return {"false_positives", ops::sum(times((1.0 - label) * prediction, weights))};
  }
  Sum false_negatives() const {
    return {"false_negatives", ops::sum(times(label * (1.0 - prediction), weights))};
  }
  Tensor label;
  Tensor prediction;
  Tensor weights;
};

Tensor count_fraction(const Tensors& totals) {
  return ops::divide_no_nan(totals[0], totals[0] + totals[1]);
}

}  // namespace

EvalMetricOp true_positives(const Tensor& labels, const Tensor& predictions,
                            const MetricOptions& options) {
  const Counts counts("true_positives", labels, predictions, options);
  return counted("true_positives", counts.true_positives());
}

EvalMetricOp true_negatives(const Tensor& labels, const Tensor& predictions,
                            const MetricOptions& options) {
  const Counts counts("true_negatives", labels, predictions, options);
  return counted("true_negatives", counts.true_negatives());
}

EvalMetricOp false_positives(const Tensor& labels, const Tensor& predictions,
                             const MetricOptions& options) {
  const Counts counts("false_positives", labels, predictions, options);
  return counted("false_positives", counts.false_positives());
}

EvalMetricOp false_negatives(const Tensor& labels, const Tensor& predictions,
                             const MetricOptions& options) {
  const Counts counts("false_negatives", labels, predictions, options);
  return counted("false_negatives", counts.false_negatives());
}

EvalMetricOp precision(const Tensor& labels, const Tensor& predictions,
                       const MetricOptions& options) {
  const Counts counts("precision", labels, predictions, options);
  return accumulated("precision", {counts.true_positives(), counts.false_positives()},
                     count_fraction);
}

EvalMetricOp recall(const Tensor& labels, const Tensor& predictions, const MetricOptions& options) {
  const Counts counts("recall", labels, predictions, options);
  return accumulated("recall", {counts.true_positives(), counts.false_negatives()}, count_fraction);
}

}  // namespace antler::estimator::metrics
