#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/estimator/estimator_spec.h"

/// Metrics of evaluations: tf.compat.v1.metrics. Each creates local variables in the current graph
/// and updates them; EvalMetricOp::value() reads the metric. Labels and predictions have the same
/// shape, but one of them may have an additional last dimension of 1. Weights broadcast to them.
namespace antler::estimator::metrics {

/// Options of most metrics.
struct MetricOptions {
  Tensor weights = {};  ///< not given: 1
};

// Means.
/// The mean of all values.
EvalMetricOp mean(const Tensor& values, const MetricOptions& options = {});
/// The mean of each element over the batches. `values` have the same shape each time.
EvalMetricOp mean_tensor(const Tensor& values, const MetricOptions& options = {});
/// The fraction of predictions that equal their label.
EvalMetricOp accuracy(const Tensor& labels, const Tensor& predictions,
                      const MetricOptions& options = {});
EvalMetricOp mean_absolute_error(const Tensor& labels, const Tensor& predictions,
                                 const MetricOptions& options = {});
EvalMetricOp mean_squared_error(const Tensor& labels, const Tensor& predictions,
                                const MetricOptions& options = {});
EvalMetricOp root_mean_squared_error(const Tensor& labels, const Tensor& predictions,
                                     const MetricOptions& options = {});
/// The mean of |labels - predictions| / normalizer, 0 where that is 0.
EvalMetricOp mean_relative_error(const Tensor& labels, const Tensor& predictions,
                                 const Tensor& normalizer, const MetricOptions& options = {});
/// 1 - the mean of sum(labels * predictions) along `dim`.
EvalMetricOp mean_cosine_distance(const Tensor& labels, const Tensor& predictions, int64_t dim,
                                  const MetricOptions& options = {});
/// The fraction of values below the threshold.
EvalMetricOp percentage_below(const Tensor& values, double threshold,
                              const MetricOptions& options = {});

/// Counts of boolean labels and predictions.
EvalMetricOp true_positives(const Tensor& labels, const Tensor& predictions,
                            const MetricOptions& options = {});
EvalMetricOp true_negatives(const Tensor& labels, const Tensor& predictions,
                            const MetricOptions& options = {});
EvalMetricOp false_positives(const Tensor& labels, const Tensor& predictions,
                             const MetricOptions& options = {});
EvalMetricOp false_negatives(const Tensor& labels, const Tensor& predictions,
                             const MetricOptions& options = {});
EvalMetricOp precision(const Tensor& labels, const Tensor& predictions,
                       const MetricOptions& options = {});
EvalMetricOp recall(const Tensor& labels, const Tensor& predictions,
                    const MetricOptions& options = {});

// The same for predictions in [0, 1] above each of several thresholds: vectors.
/// A prediction is positive if it is above the threshold.
EvalMetricOp true_positives_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                          const std::vector<double>& thresholds,
                                          const MetricOptions& options = {});
EvalMetricOp true_negatives_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                          const std::vector<double>& thresholds,
                                          const MetricOptions& options = {});
EvalMetricOp false_positives_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                           const std::vector<double>& thresholds,
                                           const MetricOptions& options = {});
EvalMetricOp false_negatives_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                           const std::vector<double>& thresholds,
                                           const MetricOptions& options = {});
EvalMetricOp precision_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                     const std::vector<double>& thresholds,
                                     const MetricOptions& options = {});
EvalMetricOp recall_at_thresholds(const Tensor& labels, const Tensor& predictions,
                                  const std::vector<double>& thresholds,
                                  const MetricOptions& options = {});

// Areas under curves, and points on them.
/// Options of auc().
struct AUCOptions {
  Tensor weights = {};           ///< a factor per value; broadcasts
  int64_t num_thresholds = 200;  ///< points of the curve
  std::string curve = "ROC";     ///< or "PR"
  std::string summation_method =
      "trapezoidal";  ///< "careful_interpolation", "minoring", "majoring"
  std::optional<std::vector<double>> thresholds =
      {};  ///< thresholds between 0 and 1, used instead of num_thresholds
};
/// Throws ValueError for an unknown curve or method, or for thresholds outside of [0, 1].
EvalMetricOp auc(const Tensor& labels, const Tensor& predictions, const AUCOptions& options = {});
/// Options of sensitivity_at_specificity(), specificity_at_sensitivity().
struct ThresholdSearchOptions {
  Tensor weights = {};           ///< a factor per value; broadcasts
  int64_t num_thresholds = 200;  ///< points of the curve
};
/// Throws ValueError unless `specificity` is in [0, 1].
EvalMetricOp sensitivity_at_specificity(const Tensor& labels, const Tensor& predictions,
                                        double specificity,
                                        const ThresholdSearchOptions& options = {});
/// Throws ValueError unless `sensitivity` is in [0, 1].
EvalMetricOp specificity_at_sensitivity(const Tensor& labels, const Tensor& predictions,
                                        double sensitivity,
                                        const ThresholdSearchOptions& options = {});

// Classes. Labels are class numbers.
/// The accuracy of each class, averaged. Throws ValueError unless there is one prediction per
/// label.
EvalMetricOp mean_per_class_accuracy(const Tensor& labels, const Tensor& predictions,
                                     int64_t num_classes, const MetricOptions& options = {});
/// Intersection over union of each class, averaged over the classes that occur.
EvalMetricOp mean_iou(const Tensor& labels, const Tensor& predictions, int64_t num_classes,
                      const MetricOptions& options = {});

// The k classes with the highest scores: labels [batch, labels] or [batch], scores [batch,
// classes].
/// Options of precision_at_k(), recall_at_k().
struct AtKOptions {
  std::optional<int64_t> class_id = {};  ///< not given: all classes
  Tensor weights = {};                   ///< [batch] or a scalar
};
/// The fraction of the k classes with the highest scores that are labels, and the fraction of the
/// labels that are among these classes.
EvalMetricOp precision_at_k(const Tensor& labels, const Tensor& predictions, int64_t k,
                            const AtKOptions& options = {});
EvalMetricOp recall_at_k(const Tensor& labels, const Tensor& predictions, int64_t k,
                         const AtKOptions& options = {});

}  // namespace antler::estimator::metrics
