#pragma once

#include <cstdint>
#include <string>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/by_position.h"
#include "antler/nn/metrics/reduction.h"

/// How often predictions are right.
namespace antler::metrics {

/// Fraction of equal elements along the last axis.
Tensor accuracy(const Tensor& y_true, const Tensor& y_pred);
/// Fraction of elements along the last axis for which (p > threshold) equals the target.
Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred, double threshold = 0.5);
/// 1 where the largest prediction is at the largest target, else 0. [..., classes] both.
Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// 1 where the largest prediction [..., classes] is at the integer target [...] or [..., 1].
Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
/// 1 where fewer than k predictions are larger than that of the target class (one-hot targets).
Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int64_t k = 5);
/// The same for integer targets. `from_sorted_ids`: predictions are classes, best first.
Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int64_t k = 5,
                                         bool from_sorted_ids = false);

/// The argument of binary_accuracy() by name.
struct BinaryAccuracyArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  double threshold = 0.5;  ///< larger predictions count as 1
};
inline Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred,
                              const BinaryAccuracyArgument& by_name) {
  return binary_accuracy(y_true, y_pred, by_name.threshold);
}
/// The argument of top_k_categorical_accuracy() by name.
struct TopKArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t k = 5;  ///< how many classes
};
inline Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                         const TopKArgument& by_name) {
  return top_k_categorical_accuracy(y_true, y_pred, by_name.k);
}
/// The arguments of sparse_top_k_categorical_accuracy() by name.
struct SparseTopKArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t k = 5;                 ///< how many classes
  bool from_sorted_ids = false;  ///< predictions are classes, best first
};
inline Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                                const SparseTopKArguments& by_name) {
  return sparse_top_k_categorical_accuracy(y_true, y_pred, by_name.k, by_name.from_sorted_ids);
}
ANTLER_KEYWORD_FUNCTION(sparse_top_k_categorical_accuracy, SparseTopKArguments, const Tensor&,
                        const Tensor&)

/// The mean of accuracy() over all samples.
struct Accuracy : MeanMetricWrapper {
  explicit Accuracy(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Accuracy, MetricOptions)
  template <StringLike S>
  explicit Accuracy(const S& name) : Accuracy(MetricOptions{.name = name}) {}
};

/// Options of BinaryAccuracy.
struct BinaryAccuracyOptions {
  std::string name = {};
  DTypeArg dtype = default_float();
  double threshold = 0.5;  ///< in (0, 1); larger predictions count as 1
};
/// The mean of binary_accuracy() over all samples.
struct BinaryAccuracy : MeanMetricWrapper {
  explicit BinaryAccuracy(const BinaryAccuracyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(BinaryAccuracy, BinaryAccuracyOptions)
  template <StringLike S>
  explicit BinaryAccuracy(const S& name) : BinaryAccuracy(BinaryAccuracyOptions{.name = name}) {}
};

/// The mean of categorical_accuracy() over all samples.
struct CategoricalAccuracy : MeanMetricWrapper {
  explicit CategoricalAccuracy(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CategoricalAccuracy, MetricOptions)
  template <StringLike S>
  explicit CategoricalAccuracy(const S& name) : CategoricalAccuracy(MetricOptions{.name = name}) {}
};
/// The mean of sparse_categorical_accuracy() over all samples.
struct SparseCategoricalAccuracy : MeanMetricWrapper {
  explicit SparseCategoricalAccuracy(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(SparseCategoricalAccuracy, MetricOptions)
  template <StringLike S>
  explicit SparseCategoricalAccuracy(const S& name)
      : SparseCategoricalAccuracy(MetricOptions{.name = name}) {}
};

/// Options of TopK.
struct TopKOptions {
  int64_t k = 5;  ///< how many classes
  std::string name = {};
  DTypeArg dtype = default_float();
};
/// The mean of top_k_categorical_accuracy() over all samples.
struct TopKCategoricalAccuracy : MeanMetricWrapper {
  explicit TopKCategoricalAccuracy(const TopKOptions& options = {});
  explicit TopKCategoricalAccuracy(int64_t k, const TopKOptions& options = {})
      : TopKCategoricalAccuracy(
            by_position<&TopKOptions::k>("TopKCategoricalAccuracy", options, k)) {}
  ANTLER_KEYWORD_CONSTRUCTORS(TopKCategoricalAccuracy, TopKOptions, int64_t)
};
/// Options of SparseTopKCategoricalAccuracy.
struct SparseTopKOptions {
  int64_t k = 5;  ///< how many classes
  std::string name = {};
  DTypeArg dtype = default_float();
  bool from_sorted_ids = false;  ///< predictions are classes, best first
};
/// The mean of sparse_top_k_categorical_accuracy() over all samples.
struct SparseTopKCategoricalAccuracy : MeanMetricWrapper {
  explicit SparseTopKCategoricalAccuracy(const SparseTopKOptions& options = {});
  explicit SparseTopKCategoricalAccuracy(int64_t k, const SparseTopKOptions& options = {})
      : SparseTopKCategoricalAccuracy(
            by_position<&SparseTopKOptions::k>("SparseTopKCategoricalAccuracy", options, k)) {}
  ANTLER_KEYWORD_CONSTRUCTORS(SparseTopKCategoricalAccuracy, SparseTopKOptions, int64_t)
};

}  // namespace antler::metrics
