#include "nn/metrics/confusion_counts.h"

#include <cmath>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "base/strings.h"
#include "nn/losses/support.h"
#include "nn/metrics/support.h"

namespace antler::metrics {

namespace {

constexpr DType kCountDType = DType::float32;

Tensor to_float(const Tensor& x) { return cast_to(x, kCountDType); }

Tensor threshold_tensor(const std::vector<double>& thresholds) {
  std::vector<float> values(thresholds.begin(), thresholds.end());
  return Tensor::of(values);
}

/// Moves predictions that are not among the k largest of their row below every threshold.
Tensor keep_top_k(const Tensor& x, int64_t k) {
  const Tensor indices = ops::top_k(x, k).indices;
  const Tensor kept = ops::sum(ops::one_hot(indices, x.dim(-1)), {-2});
  return x * kept + kNegativeInfinity * (1.0 - kept);
}

Tensor one_class(const Tensor& x, int64_t class_id) {
  if (x.rank() < 2) {
    throw ValueError(
        "When class_id is provided, y_pred must be a 2D array with shape (num_samples, "
        "num_classes), found shape: {}",
        x.shape());
  }
  const int64_t classes = x.dim(-1);
  const int64_t index = class_id < 0 ? class_id + classes : class_id;
  if (index < 0 || index >= classes) {
    throw ValueError("`class_id` is out of range. Received: class_id={}, shape {}", class_id,
                     x.shape());
  }
  return ops::slice_axis(x, -1, index, index + 1);
}

/// Weights that broadcast to y_true: a missing last axis is added.
Tensor fit_weight(const Tensor& sample_weight, int rank) {
  const Tensor weight = to_float(sample_weight);
  return weight.rank() >= rank || weight.rank() == 0 ? weight : ops::expand_dims(weight, -1);
}

/// Sample weight times label weight, in the shape of y_pred; undefined if neither is given.
Tensor joint_weight(const ConfusionInputs& in, const Tensor& y_pred) {
  Tensor weight;
  if (in.sample_weight.defined()) {
    Tensor given = fit_weight(in.sample_weight, y_pred.rank());
    if (given.rank() == y_pred.rank() + 1 && given.dim(-1) == 1) given = ops::squeeze(given, -1);
    weight = ops::broadcast_to(given, y_pred.shape());
  }
  if (in.label_weights.defined()) {
    const Tensor labels = ops::broadcast_to(to_float(in.label_weights), y_pred.shape());
    weight = weight.defined() ? weight * labels : labels;
  }
  return weight;
}

/// Every prediction falls into one bucket between two thresholds, the first of which lies below all
/// thresholds; counts are sums over the buckets from a threshold on. The cost is linear in the
/// number of predictions, whatever the number of thresholds.
ConfusionCounts count_by_buckets(const ConfusionInputs& in, const Tensor& y_true,
                                 const Tensor& y_pred, const Tensor& weight, ConfusionKeeps keep) {
  const auto thresholds = static_cast<int64_t>(in.thresholds.size());
  const bool below_zero = in.thresholds.front() < 0.0 || in.thresholds.back() > 1.0;
  Tensor truth = ops::cast(ops::not_equal(y_true, 0.0), kCountDType);
  Tensor falsehood = 1.0 - truth;
  if (weight.defined()) {
    truth = truth * weight;
    falsehood = falsehood * weight;
  }
  // A prediction must be strictly above a threshold, hence ceil and not floor.
  Tensor bucket = ops::ceil(ops::clip(y_pred, 0.0, 1.0) * static_cast<double>(thresholds - 1));
  if (below_zero) bucket = ops::maximum(bucket, 1.0);
  bucket = ops::cast(bucket, DType::int32);
  const int64_t labels = in.multi_label ? y_pred.dim(-1) : 1;
  if (in.multi_label) {
    bucket = bucket * static_cast<int>(labels) + ops::iota(bucket.shape(), -1);
  }
  const auto at_or_above = [&](const Tensor& values) {
    Tensor sums = ops::scatter(ops::zeros({(thresholds + 1) * labels}, values.dtype()),
                               flat(bucket), flat(values), ops::ScatterMode::add);
    if (in.multi_label) sums = ops::reshape(sums, {thresholds + 1, labels});
    return ops::slice_axis(ops::cumsum(sums, 0, {.reverse = true}), 0, 1, thresholds + 1);
  };
  const auto total = [&](const Tensor& values) {
    return in.multi_label ? ops::sum(values, {0}) : ops::sum(values);
  };
  ConfusionCounts counts;
  if (keep.true_positives || keep.false_negatives) counts.true_positives = at_or_above(truth);
  if (keep.false_positives || keep.true_negatives) counts.false_positives = at_or_above(falsehood);
  if (keep.false_negatives) counts.false_negatives = total(truth) - counts.true_positives;
  if (keep.true_negatives) counts.true_negatives = total(falsehood) - counts.false_positives;
  return counts;
}

/// Compares every prediction with every threshold.
ConfusionCounts count_by_comparison(const ConfusionInputs& in, const Tensor& y_true,
                                    const Tensor& y_pred, const Tensor& weight,
                                    ConfusionKeeps keep) {
  const auto spread = [&](const Tensor& x) {
    return ops::expand_dims(in.multi_label ? x : flat(x), 0);
  };
  Shape threshold_shape{static_cast<int64_t>(in.thresholds.size()), 1};
  if (in.multi_label) threshold_shape.push_back(1);
  const Tensor thresholds = ops::reshape(threshold_tensor(in.thresholds), threshold_shape);
  const Tensor above = ops::greater(spread(y_pred), thresholds);
  const Tensor truth = spread(ops::not_equal(y_true, 0.0));
  const Tensor weights = weight.defined() ? spread(weight) : Tensor::full(kCountDType, {}, 1.0);
  const auto count = [&](const Tensor& label, const Tensor& decision) {
    const Tensor both = ops::logical_and(label, decision);
    return ops::sum(ops::where(both, weights, Tensor::full(kCountDType, {}, 0.0)), {1});
  };
  ConfusionCounts counts;
  if (keep.true_positives) counts.true_positives = count(truth, above);
  if (keep.false_negatives) counts.false_negatives = count(truth, ops::logical_not(above));
  if (keep.false_positives) counts.false_positives = count(ops::logical_not(truth), above);
  if (keep.true_negatives) {
    counts.true_negatives = count(ops::logical_not(truth), ops::logical_not(above));
  }
  return counts;
}

}  // namespace

bool evenly_distributed(const std::vector<double>& thresholds) {
  const size_t n = thresholds.size();
  if (n < 3) return false;
  for (size_t i = 0; i < n; ++i) {
    const double even = static_cast<double>(static_cast<float>(i) / static_cast<float>(n - 1));
    // As NumPy's allclose, with Keras's epsilon.
    if (std::abs(thresholds[i] - even) > losses::kEpsilon + 1e-5 * std::abs(even)) return false;
  }
  return true;
}

void check_thresholds(const std::vector<double>& thresholds) {
  std::vector<std::string> wrong;
  for (const double t : thresholds) {
    if (!(t >= 0 && t <= 1)) wrong.push_back(format("{}", t));
  }
  if (!wrong.empty()) {
    throw ValueError("Threshold values must be in [0, 1]. Received: [{}]", join(wrong));
  }
}

ConfusionCounts count_confusion(const ConfusionInputs& in, ConfusionKeeps keep) {
  const losses::Targets fitted = losses::same_rank(to_float(in.y_true), to_float(in.y_pred));
  Tensor y_true = fitted.y_true;
  Tensor y_pred = fitted.y_pred;
  if (y_true.rank() != y_pred.rank()) {
    throw ValueError(
        "Shapes of y_true and y_pred do not match. Received: y_true.shape={}, y_pred.shape={}",
        in.y_true.shape(), in.y_pred.shape());
  }
  if (in.top_k) y_pred = keep_top_k(y_pred, *in.top_k);
  if (in.class_id) {
    y_true = one_class(y_true, *in.class_id);
    y_pred = one_class(y_pred, *in.class_id);
  }
  const Tensor weight = joint_weight(in, y_pred);
  return evenly_distributed(in.thresholds) ? count_by_buckets(in, y_true, y_pred, weight, keep)
                                           : count_by_comparison(in, y_true, y_pred, weight, keep);
}

}  // namespace antler::metrics
