#pragma once

#include <string>
#include <vector>

#include "estimator/metrics/accumulate.h"

/// Counts of predictions above thresholds.
namespace antler::estimator::metrics {

/// The counts of a batch, as vectors with one element per threshold.
class ThresholdCounts {
 public:
  /// `predictions` are compared with the thresholds as float32.
  ThresholdCounts(const std::string& metric, const Tensor& labels, const Tensor& predictions,
                  const std::vector<double>& thresholds, const Tensor& weights);
  Sum true_positives() const;
  Sum true_negatives() const;
  Sum false_positives() const;
  Sum false_negatives() const;
  /// True and false positives, then true and false negatives.
  std::vector<Sum> all() const;

 private:
  Tensor positive_;  ///< labels [1, predictions]
  Tensor above_;     ///< [thresholds, predictions]
  Tensor weights_;
};

/// `count` thresholds that divide [0, 1] evenly. The outermost are slightly outside of it; with
/// `last_inside`, the last one is slightly inside.
std::vector<double> even_thresholds(int64_t count, bool last_inside = false);

}  // namespace antler::estimator::metrics
