#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/nn/axis_list.h"
#include "antler/nn/metrics/configured.h"
#include "antler/nn/metrics/reduction.h"

/// Correlation between predictions and targets.
namespace antler::metrics {

/// The mean product of both, after standardizing them along `axis`, one axis or several.
Tensor pearson_correlation(const Tensor& y_true, const Tensor& y_pred, const AxisList& axis = -1);
/// Lin's concordance along `axis`: 1 only if both are equal.
Tensor concordance_correlation(const Tensor& y_true, const Tensor& y_pred,
                               const AxisList& axis = -1);

/// Options of PearsonCorrelation, ConcordanceCorrelation.
struct CorrelationOptions {
  std::string name = {};
  DTypeArg dtype = default_float();
  AxisList axis = -1;  ///< one or several; {}: all
};
/// The mean of pearson_correlation() over all samples.
struct PearsonCorrelation : MeanMetricWrapper {
  explicit PearsonCorrelation(const CorrelationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(PearsonCorrelation, CorrelationOptions)
  template <StringLike S>
  explicit PearsonCorrelation(const S& name)
      : PearsonCorrelation(CorrelationOptions{.name = name}) {}
};
/// The mean of concordance_correlation() over all samples.
struct ConcordanceCorrelation : MeanMetricWrapper {
  explicit ConcordanceCorrelation(const CorrelationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(ConcordanceCorrelation, CorrelationOptions)
  template <StringLike S>
  explicit ConcordanceCorrelation(const S& name)
      : ConcordanceCorrelation(CorrelationOptions{.name = name}) {}
};

/// Options of R2Score.
struct R2ScoreOptions {
  /// "uniform_average", "variance_weighted_average"; not given: one score per output
  std::optional<std::string> class_aggregation = "uniform_average";
  int64_t num_regressors = 0;  ///< independent variables; above 0: the score is adjusted
  std::string name = {};
  DTypeArg dtype = default_float();
};
/// Coefficient of determination, 1 - squared error / variance. y_true, y_pred [batch, outputs].
/// The score is not adjusted if there are at most num_regressors + 1 samples.
class R2Score : public MetricOf<R2Score, R2ScoreOptions> {
 public:
  /// Throws ValueError for an unknown aggregation and num_regressors < 0.
  explicit R2Score(const R2ScoreOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(R2Score, R2ScoreOptions)
  template <StringLike S>
  explicit R2Score(const S& name) : R2Score(R2ScoreOptions{.name = name}) {}
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
  Nest result() const override;

 private:
  struct Sums {
    Variable squared_sum;
    Variable sum;
    Variable residual;
    Variable count;
  };
  Variable num_samples_;
  std::shared_ptr<Sums> sums_;  ///< [outputs] each; shared by copies; made at the first update
};

}  // namespace antler::metrics
