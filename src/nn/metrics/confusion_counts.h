#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/nn/metrics/confusion.h"

namespace antler::metrics {

/// Below every threshold: the value of predictions that `top_k` excludes.
inline constexpr double kNegativeInfinity = -1e10;

struct ConfusionInputs {
  Tensor y_true;
  Tensor y_pred;
  Tensor sample_weight = {};
  std::vector<double> thresholds;
  std::optional<int64_t> top_k = {};
  std::optional<int64_t> class_id = {};
  bool multi_label = false;
  Tensor label_weights = {};  ///< [labels]; undefined means all 1
};

/// Counts of one batch, float32 [thresholds], or [thresholds, labels] with `multi_label`. Counts
/// that were not requested are undefined.
struct ConfusionCounts {
  Tensor true_positives;
  Tensor false_positives;
  Tensor true_negatives;
  Tensor false_negatives;
};
ConfusionCounts count_confusion(const ConfusionInputs& in, ConfusionKeeps keep);

/// Whether the thresholds are 0, 1/(n-1), ..., 1 (up to Keras's epsilon), so that predictions can
/// be sorted into buckets.
bool evenly_distributed(const std::vector<double>& thresholds);
/// Throws ValueError unless all are in [0, 1].
void check_thresholds(const std::vector<double>& thresholds);

}  // namespace antler::metrics
