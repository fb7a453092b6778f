#include "antler/nn/metrics/accuracy.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/support.h"
#include "nn/metrics/families.h"

namespace antler::metrics {

namespace {

/// The mean over the last axis of matches 0 and 1; a vector has one value per sample.
Tensor share_of(const Tensor& matches) {
  return matches.rank() > 1 ? ops::mean(matches, {-1}) : matches;
}

Tensor cast_like(const Tensor& x, const Tensor& y) {
  return x.dtype() == y.dtype() ? x : ops::cast(x, y.dtype());
}

/// Integer targets without a trailing axis of size 1, as needed for predictions [..., classes].
Tensor labels(const Tensor& y_true, const Tensor& y_pred) {
  if (y_true.rank() == y_pred.rank() && y_true.rank() > 0 && y_true.dim(-1) == 1) {
    return ops::squeeze(y_true, -1);
  }
  return y_true;
}

Tensor in_top_k(const Tensor& label, const Tensor& y_pred, int64_t k) {
  const Tensor index = ops::expand_dims(ops::cast(label, DType::int32), -1);
  const Tensor own = ops::take_along_axis(y_pred, index, -1);
  const Tensor larger = ops::sum(ops::cast(ops::greater(y_pred, own), DType::int32), {-1});
  return ops::cast(ops::less(larger, static_cast<int>(k)), DType::float32);
}

// Returns one match per element, because each may have a weight; the metrics take the mean.
Tensor element_matches(const Tensor& y_true, const Tensor& y_pred) {
  const losses::Targets t = losses::same_rank(cast_like(y_true, y_pred), y_pred);
  return ops::cast(ops::equal(t.y_true, t.y_pred), DType::float32);
}

Tensor binary_matches(const Tensor& y_true, const Tensor& y_pred, double threshold) {
  const losses::Targets t = losses::same_rank(y_true, y_pred);
  const Tensor prediction = ops::cast(ops::greater(t.y_pred, threshold), t.y_true.dtype());
  return ops::cast(ops::equal(t.y_true, prediction), DType::float32);
}

}  // namespace

Tensor accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return share_of(element_matches(y_true, y_pred));
}

Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred, double threshold) {
  return share_of(binary_matches(y_true, y_pred, threshold));
}

Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return ops::cast(ops::equal(ops::argmax(y_true, -1), ops::argmax(y_pred, -1)), DType::float32);
}

Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor label = labels(y_true, y_pred);
  const Tensor matches =
      ops::cast(ops::equal(label, cast_like(ops::argmax(y_pred, -1), label)), DType::float32);
  return matches.rank() > 1 && matches.dim(-1) == 1 ? ops::squeeze(matches, -1) : matches;
}

Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int64_t k) {
  return in_top_k(ops::argmax(y_true, -1), y_pred, k);
}

Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int64_t k,
                                         bool from_sorted_ids) {
  if (from_sorted_ids) {
    const Tensor best = ops::slice_axis(y_pred, -1, 0, std::min(k, y_pred.dim(-1)));
    const Tensor label = ops::expand_dims(cast_like(labels(y_true, y_pred), y_pred), -1);
    return ops::cast(ops::any(ops::equal(label, best), {-1}), DType::float32);
  }
  return in_top_k(labels(y_true, y_pred), y_pred, k);
}

template <class V>
void fields(V& v, BinaryAccuracyOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("threshold", o.threshold);
}

template <class V>
void fields(V& v, TopKOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("k", o.k);
}

template <class V>
void fields(V& v, SparseTopKOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("k", o.k);
  // Keras writes it only if it is set.
  if (o.from_sorted_ids || !std::is_same_v<V, FieldWriter>) v("from_sorted_ids", o.from_sorted_ids);
}

Accuracy::Accuracy(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("Accuracy", "accuracy", o, "up", element_matches)) {}

BinaryAccuracy::BinaryAccuracy(const BinaryAccuracyOptions& o)
    : MeanMetricWrapper(
          define<Definition>("BinaryAccuracy", "binary_accuracy", o, "up",
                             [threshold = o.threshold](const Tensor& y_true, const Tensor& y_pred) {
                               return binary_matches(y_true, y_pred, threshold);
                             })) {}

CategoricalAccuracy::CategoricalAccuracy(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("CategoricalAccuracy", "categorical_accuracy", o, "up",
                                           categorical_accuracy)) {}

SparseCategoricalAccuracy::SparseCategoricalAccuracy(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("SparseCategoricalAccuracy",
                                           "sparse_categorical_accuracy", o, "up",
                                           sparse_categorical_accuracy)) {}

TopKCategoricalAccuracy::TopKCategoricalAccuracy(const TopKOptions& o)
    : MeanMetricWrapper(define<Definition>("TopKCategoricalAccuracy", "top_k_categorical_accuracy",
                                           o, "up",
                                           [k = o.k](const Tensor& y_true, const Tensor& y_pred) {
                                             return top_k_categorical_accuracy(y_true, y_pred, k);
                                           })) {}

SparseTopKCategoricalAccuracy::SparseTopKCategoricalAccuracy(const SparseTopKOptions& o)
    : MeanMetricWrapper(define<Definition>(
          "SparseTopKCategoricalAccuracy", "sparse_top_k_categorical_accuracy", o, "up",
          [o](const Tensor& y_true, const Tensor& y_pred) {
            return sparse_top_k_categorical_accuracy(y_true, y_pred, o.k, o.from_sorted_ids);
          })) {}

Metrics::Family accuracy_metrics() {
  // "accuracy" is not listed: it is an alias for one of these, depending on the shapes.
  static const MetricClass classes[] = {
      metric_class<Accuracy, MetricOptions>({}),
      metric_class<BinaryAccuracy, BinaryAccuracyOptions>({"binary_accuracy"}),
      metric_class<CategoricalAccuracy, MetricOptions>({"categorical_accuracy"},
                                                       categorical_accuracy),
      metric_class<SparseCategoricalAccuracy, MetricOptions>({"sparse_categorical_accuracy"},
                                                             sparse_categorical_accuracy),
      metric_class<TopKCategoricalAccuracy, TopKOptions>({"top_k_categorical_accuracy"}),
      metric_class<SparseTopKCategoricalAccuracy, SparseTopKOptions>(
          {"sparse_top_k_categorical_accuracy"}),
  };
  return classes;
}

}  // namespace antler::metrics
