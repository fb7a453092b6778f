#pragma once

#include <memory>
#include <optional>
#include <string>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/nn/metrics/configured.h"

namespace antler::metrics {

/// Options of FBetaScore.
struct FBetaScoreOptions {
  /// Not given: one score per class. "micro" counts over all classes, "macro" is the mean over the
  /// classes, "weighted" their mean weighted by the number of true labels.
  std::optional<std::string> average = {};
  double beta = 1.0;                     ///< > 0; how much more recall counts than precision
  std::optional<double> threshold = {};  ///< in (0, 1]; not given: positive is the largest of a row
  std::string name = {};
  DTypeArg dtype = default_float();
};

/// (1 + beta^2) precision recall / (beta^2 precision + recall). y_true, y_pred [batch, classes];
/// `sample_weight` [batch].
class FBetaScore : public MetricOf<FBetaScore, FBetaScoreOptions> {
 public:
  /// Throws ValueError for an unknown average, beta <= 0, or a threshold outside (0, 1].
  explicit FBetaScore(const FBetaScoreOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(FBetaScore, FBetaScoreOptions)
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
  Nest result() const override;

 protected:
  FBetaScore(const char* class_name, const FBetaScoreOptions& options, const Json& config);

 private:
  struct Counts {
    Variable true_positives;
    Variable false_positives;
    Variable false_negatives;
    Variable intermediate_weights;
  };
  void create(const Shape& y_true, const Shape& y_pred);
  std::shared_ptr<Counts> counts_;  ///< shared by copies; made at the first update
};

/// Options of F1Score.
struct F1ScoreOptions {
  /// "micro", "macro", "weighted"; not given: a score per class.
  std::optional<std::string> average = {};
  std::optional<double> threshold = {};  ///< not given: the largest prediction is the class
  std::string name = {};
  DTypeArg dtype = default_float();
};

/// FBetaScore with beta = 1.
class F1Score : public FBetaScore {
 public:
  explicit F1Score(const F1ScoreOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(F1Score, F1ScoreOptions)
  std::shared_ptr<Metric> share() const override;
  std::shared_ptr<Metric> fresh() const override;

 private:
  F1ScoreOptions options_;
};

}  // namespace antler::metrics
