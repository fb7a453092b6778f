#include "antler/base/error.h"
#include "antler/estimator/metrics.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "estimator/losses/shapes.h"
#include "estimator/metrics/accumulate.h"

/// Metrics of the classes with the largest scores.
namespace antler::estimator::metrics {
namespace {

/// Weighted numbers of true positives, false positives and false negatives of a batch, float64
/// scalars.
struct TopKCounts {
  Sum tp, fp, fn;
};

TopKCounts count_at_k(const std::string& metric, const Tensor& labels, const Tensor& predictions,
                      int64_t k, const AtKOptions& options) {
  if (k < 1) throw ValueError("{}: k must be positive. Received: k={}", metric, k);
  if (labels.rank() != predictions.rank() && labels.rank() + 1 != predictions.rank()) {
    throw ValueError(
        "{}: labels must have the rank of predictions, or one less. Received: labels of shape {} "
        "and predictions of shape {}",
        metric, labels.shape(), predictions.shape());
  }
  const Tensor best =
      ops::reshape(ops::cast(ops::top_k(predictions, k).indices, DType::int64), {-1, 1, k});
  const int64_t count = best.dim(0);
  const Tensor classes = ops::reshape(ops::cast(labels, DType::int64), {count, -1, 1});
  Tensor tp;
  Tensor fp;
  Tensor fn;
  const auto number = [](const Tensor& flags) { return ops::cast(flags, DType::float64); };
  if (options.class_id) {
    const Tensor has_label = number(ops::any(ops::equal(classes, *options.class_id), {1, 2}));
    const Tensor predicted = number(ops::any(ops::equal(best, *options.class_id), {1, 2}));
    tp = has_label * predicted;
    fp = (1.0 - has_label) * predicted;
    fn = has_label * (1.0 - predicted);
  } else {
    // Labels that occur twice in a row count once.
    const Tensor same = ops::equal(classes, ops::swapaxes(classes, 1, 2));
    const Tensor first = number(ops::logical_not(
        ops::any(ops::logical_and(same, ops::tri(classes.dim(1), {}, -1, DType::boolean)), 2)));
    const Tensor hit = number(ops::any(ops::equal(classes, best), 2));
    tp = ops::sum(hit * first, 1);
    fn = ops::sum((1.0 - hit) * first, 1);
    fp = static_cast<double>(k) - tp;
  }
  Tensor factors = Tensor::full(DType::float64, {}, 1);
  if (options.weights.defined()) {
    factors = ops::cast(options.weights, DType::float64);
    if (factors.rank() > 0) factors = ops::reshape(factors, {-1});
    check_weights(factors, tp);
  }
  const auto total = [&](const Tensor& x) { return ops::sum(x * factors); };
  return {.tp = {"true_positive_at_k", total(tp)},
          .fp = {"false_positive_at_k", total(fp)},
          .fn = {"false_negative_at_k", total(fn)}};
}

Tensor fraction_at_k(const Tensors& totals) { return totals[0] / (totals[0] + totals[1]); }

}  // namespace

EvalMetricOp precision_at_k(const Tensor& labels, const Tensor& predictions, int64_t k,
                            const AtKOptions& options) {
  const TopKCounts counts = count_at_k("precision_at_k", labels, predictions, k, options);
  return accumulated("precision_at_k", {counts.tp, counts.fp}, fraction_at_k);
}

EvalMetricOp recall_at_k(const Tensor& labels, const Tensor& predictions, int64_t k,
                         const AtKOptions& options) {
  const TopKCounts counts = count_at_k("recall_at_k", labels, predictions, k, options);
  return accumulated("recall_at_k", {counts.tp, counts.fn}, fraction_at_k);
}

}  // namespace antler::estimator::metrics
