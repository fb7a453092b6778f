#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/nn/metrics/configured.h"

/// Counts of right and wrong decisions "prediction > threshold", and metrics computed from them.
///
/// All take y_true (nonzero means true) and y_pred of the same shape [batch, ...], predictions in
/// [0, 1], and `sample_weight` [batch] or broadcastable to them.
namespace antler::metrics {

/// Field type of `.thresholds`: nothing, one number, or a list of numbers in [0, 1].
class Thresholds {
 public:
  Thresholds() = default;
  Thresholds(double value) : values_{value} {}  // NOLINT(google-explicit-constructor)
  Thresholds(std::initializer_list<double> values) : values_(values), list_(true) {}
  Thresholds(std::vector<double> values)  // NOLINT(google-explicit-constructor)
      : values_(std::move(values)), list_(true) {}
  bool given() const { return list_ || !values_.empty(); }
  bool is_list() const { return list_; }
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
  bool list_ = false;
};

/// Which of the four counts a metric keeps.
struct ConfusionKeeps {
  bool true_positives = false;
  bool false_positives = false;
  bool true_negatives = false;
  bool false_negatives = false;
};

/// Base of the metrics that count at thresholds: one variable [thresholds] (or [thresholds,
/// labels]) per count.
class ConfusionMetric : public ConfiguredMetric {
 public:
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
  const std::vector<double>& thresholds() const { return thresholds_; }

 protected:
  struct Setup {
    std::string class_name;
    std::string name;
    DTypeArg dtype = default_float();
    std::shared_ptr<const Json> config;
    std::string direction;
    std::vector<double> thresholds;
    std::optional<int64_t> top_k = {};
    std::optional<int64_t> class_id = {};
  };
  /// Keeps one variable per count, in the order of ConfusionKeeps.
  ConfusionMetric(Setup setup, ConfusionKeeps keep);
  /// Sums so far, [thresholds]; undefined where the metric does not keep them.
  Variable true_positives_;
  Variable false_positives_;
  Variable true_negatives_;
  Variable false_negatives_;
  Tensor recalls() const;        ///< tp / (tp + fn)
  Tensor precisions() const;     ///< tp / (tp + fp)
  Tensor specificities() const;  ///< tn / (tn + fp)
  /// A scalar if there is one threshold.
  Tensor per_threshold(const Tensor& values) const;

 private:
  std::vector<double> thresholds_;
  std::optional<int64_t> top_k_;
  std::optional<int64_t> class_id_;
  ConfusionKeeps keep_;
};

/// Options of TruePositives, FalsePositives, TrueNegatives and FalseNegatives.
struct ConfusionCountOptions {
  Thresholds thresholds = {};  ///< not given: 0.5; a list: one result for each
  std::string name = {};       ///< not given: the class's name, made unique
  DTypeArg dtype = default_float();
};

/// Weighted count of true labels predicted above the threshold.
struct TruePositives : MetricOf<TruePositives, ConfusionCountOptions, ConfusionMetric> {
  explicit TruePositives(const ConfusionCountOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(TruePositives, ConfusionCountOptions)
  Nest result() const override;
};
/// Weighted count of false labels predicted above the threshold.
struct FalsePositives : MetricOf<FalsePositives, ConfusionCountOptions, ConfusionMetric> {
  explicit FalsePositives(const ConfusionCountOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(FalsePositives, ConfusionCountOptions)
  Nest result() const override;
};
/// Weighted count of false labels predicted at or below the threshold.
struct TrueNegatives : MetricOf<TrueNegatives, ConfusionCountOptions, ConfusionMetric> {
  explicit TrueNegatives(const ConfusionCountOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(TrueNegatives, ConfusionCountOptions)
  Nest result() const override;
};
/// Weighted count of true labels predicted at or below the threshold.
struct FalseNegatives : MetricOf<FalseNegatives, ConfusionCountOptions, ConfusionMetric> {
  explicit FalseNegatives(const ConfusionCountOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(FalseNegatives, ConfusionCountOptions)
  Nest result() const override;
};

/// Options of Precision.
struct PrecisionOptions {
  Thresholds thresholds = {};         ///< not given: 0.5, or none where `top_k` is given
  std::optional<int64_t> top_k = {};  ///< only the k largest predictions of a row can be positive
  std::optional<int64_t> class_id = {};  ///< considers only this class (last axis)
  std::string name = {};
  DTypeArg dtype = default_float();
};
/// The fraction of predicted positives that are true.
struct Precision : MetricOf<Precision, PrecisionOptions, ConfusionMetric> {
  explicit Precision(const PrecisionOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Precision, PrecisionOptions)
  Nest result() const override;
};
/// The fraction of true labels that are predicted positive.
struct Recall : MetricOf<Recall, PrecisionOptions, ConfusionMetric> {
  explicit Recall(const PrecisionOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Recall, PrecisionOptions)
  Nest result() const override;
};

/// Options of SensitivityAtSpecificity.
struct SensitivityAtSpecificityOptions {
  double specificity = 0.5;              ///< in [0, 1]
  int64_t num_thresholds = 200;          ///< spread evenly over [0, 1]; 1 means 0.5 alone
  std::optional<int64_t> class_id = {};  ///< only this class; not given: all
  std::string name = {};
  DTypeArg dtype = default_float();
};
/// Largest sensitivity (recall) over thresholds whose specificity is at least `specificity`.
struct SensitivityAtSpecificity
    : MetricOf<SensitivityAtSpecificity, SensitivityAtSpecificityOptions, ConfusionMetric> {
  /// Throws ValueError unless 0 <= specificity <= 1 and num_thresholds > 0.
  explicit SensitivityAtSpecificity(double specificity,
                                    SensitivityAtSpecificityOptions options = {});
  explicit SensitivityAtSpecificity(const SensitivityAtSpecificityOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(SensitivityAtSpecificity, SensitivityAtSpecificityOptions, double)
  Nest result() const override;
};

/// Options of SpecificityAtSensitivity.
struct SpecificityAtSensitivityOptions {
  double sensitivity = 0.5;              ///< in [0, 1]
  int64_t num_thresholds = 200;          ///< spread evenly over [0, 1]; 1 means 0.5 alone
  std::optional<int64_t> class_id = {};  ///< only this class; not given: all
  std::string name = {};
  DTypeArg dtype = default_float();
};
/// Largest specificity over thresholds whose sensitivity is at least `sensitivity`.
struct SpecificityAtSensitivity
    : MetricOf<SpecificityAtSensitivity, SpecificityAtSensitivityOptions, ConfusionMetric> {
  /// Throws ValueError unless 0 <= sensitivity <= 1 and num_thresholds > 0.
  explicit SpecificityAtSensitivity(double sensitivity,
                                    SpecificityAtSensitivityOptions options = {});
  explicit SpecificityAtSensitivity(const SpecificityAtSensitivityOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(SpecificityAtSensitivity, SpecificityAtSensitivityOptions, double)
  Nest result() const override;
};

/// Options of PrecisionAtRecall.
struct PrecisionAtRecallOptions {
  double recall = 0.5;                   ///< in [0, 1]
  int64_t num_thresholds = 200;          ///< spread evenly over [0, 1]; 1 means 0.5 alone
  std::optional<int64_t> class_id = {};  ///< only this class; not given: all
  std::string name = {};
  DTypeArg dtype = default_float();
};
/// Largest precision over thresholds whose recall is at least `recall`.
struct PrecisionAtRecall : MetricOf<PrecisionAtRecall, PrecisionAtRecallOptions, ConfusionMetric> {
  /// Throws ValueError unless 0 <= recall <= 1 and num_thresholds > 0.
  explicit PrecisionAtRecall(double recall, PrecisionAtRecallOptions options = {});
  explicit PrecisionAtRecall(const PrecisionAtRecallOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(PrecisionAtRecall, PrecisionAtRecallOptions, double)
  Nest result() const override;
};

/// Options of RecallAtPrecision.
struct RecallAtPrecisionOptions {
  double precision = 0.5;                ///< in [0, 1]
  int64_t num_thresholds = 200;          ///< spread evenly over [0, 1]; 1 means 0.5 alone
  std::optional<int64_t> class_id = {};  ///< only this class; not given: all
  std::string name = {};
  DTypeArg dtype = default_float();
};
/// Largest recall over thresholds whose precision is at least `precision`.
struct RecallAtPrecision : MetricOf<RecallAtPrecision, RecallAtPrecisionOptions, ConfusionMetric> {
  /// Throws ValueError unless 0 <= precision <= 1 and num_thresholds > 0.
  explicit RecallAtPrecision(double precision, RecallAtPrecisionOptions options = {});
  explicit RecallAtPrecision(const RecallAtPrecisionOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RecallAtPrecision, RecallAtPrecisionOptions, double)
  Nest result() const override;
};

}  // namespace antler::metrics
