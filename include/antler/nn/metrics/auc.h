#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/nn/metrics/configured.h"
#include "antler/nn/optional_list.h"

namespace antler::metrics {

/// Options of AUC.
struct AUCOptions {
  int64_t num_thresholds = 200;  ///< spread evenly over [0, 1]
  std::string curve = "ROC";     ///< "ROC", "PR" or "PRGAIN"
  /// "interpolation" (trapezoids; for "PR" Davis and Goadrich 2006), "minoring" or "majoring"
  std::string summation_method = "interpolation";
  std::string name = {};  ///< not given: "auc", made unique
  DTypeArg dtype = default_float();
  /// Used instead of evenly spaced thresholds. One below 0 and one above 1 are added.
  OptionalList<double> thresholds = {};
  bool multi_label = false;                ///< one area per label (last axis), then their mean
  std::optional<int64_t> num_labels = {};  ///< with multi_label; not given: taken from the data
  /// [labels]: weights of the areas of the labels with `multi_label`, else of their predictions.
  OptionalList<double> label_weights = {};
  bool from_logits = false;  ///< sigmoid is applied to predictions
};

/// Area under a curve, by sums over thresholds. y_true, y_pred [batch, ...]; with `multi_label`
/// [batch, labels].
class AUC : public MetricOf<AUC, AUCOptions> {
 public:
  /// Throws ValueError for num_thresholds < 2, unknown names, thresholds outside [0, 1], and
  /// num_labels without multi_label.
  explicit AUC(const AUCOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(AUC, AUCOptions)
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
  Nest result() const override;
  Json get_config() const override;
  const std::vector<double>& thresholds() const { return thresholds_; }

 private:
  /// The counts, [thresholds] or [thresholds, labels].
  struct Counts {
    Variable true_positives;
    Variable false_positives;
    Variable true_negatives;
    Variable false_negatives;
  };
  AUC(const AUCOptions& options, int checked);
  void create(const Shape& shape);
  Tensor interpolated_precision_recall() const;
  /// Combines the areas of one or several labels into one number.
  Tensor sum_areas(const Tensor& terms) const;

  std::vector<double> thresholds_;
  /// Shared by copies. Created by the first update if the number of labels is not known before.
  std::shared_ptr<Counts> counts_;
};

}  // namespace antler::metrics
