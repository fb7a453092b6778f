#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/nn/metrics/reduction.h"

/// Errors of predicted numbers, computed by the functions of nn/losses/regression.h.
namespace antler::metrics {

/// The mean of mean_squared_error() over all samples.
struct MeanSquaredError : MeanMetricWrapper {
  explicit MeanSquaredError(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MeanSquaredError, MetricOptions)
  template <StringLike S>
  explicit MeanSquaredError(const S& name) : MeanSquaredError(MetricOptions{.name = name}) {}
};
/// The mean of mean_absolute_error() over all samples.
struct MeanAbsoluteError : MeanMetricWrapper {
  explicit MeanAbsoluteError(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MeanAbsoluteError, MetricOptions)
  template <StringLike S>
  explicit MeanAbsoluteError(const S& name) : MeanAbsoluteError(MetricOptions{.name = name}) {}
};
/// The mean of mean_absolute_percentage_error() over all samples.
struct MeanAbsolutePercentageError : MeanMetricWrapper {
  explicit MeanAbsolutePercentageError(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MeanAbsolutePercentageError, MetricOptions)
  template <StringLike S>
  explicit MeanAbsolutePercentageError(const S& name)
      : MeanAbsolutePercentageError(MetricOptions{.name = name}) {}
};
/// The mean of mean_squared_logarithmic_error() over all samples.
struct MeanSquaredLogarithmicError : MeanMetricWrapper {
  explicit MeanSquaredLogarithmicError(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MeanSquaredLogarithmicError, MetricOptions)
  template <StringLike S>
  explicit MeanSquaredLogarithmicError(const S& name)
      : MeanSquaredLogarithmicError(MetricOptions{.name = name}) {}
};
/// The mean of log_cosh() over all samples.
struct LogCoshError : MeanMetricWrapper {
  explicit LogCoshError(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(LogCoshError, MetricOptions)
  template <StringLike S>
  explicit LogCoshError(const S& name) : LogCoshError(MetricOptions{.name = name}) {}
};

/// Options of CosineSimilarity.
struct CosineSimilarityOptions {
  std::string name = {};
  DTypeArg dtype = default_float();
  int64_t axis = -1;  ///< of the vectors
};
/// +1 for the same direction: the opposite sign of the loss.
struct CosineSimilarity : MeanMetricWrapper {
  explicit CosineSimilarity(const CosineSimilarityOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CosineSimilarity, CosineSimilarityOptions)
  template <StringLike S>
  explicit CosineSimilarity(const S& name)
      : CosineSimilarity(CosineSimilarityOptions{.name = name}) {}
};

/// Square root of the mean squared error over all samples.
class RootMeanSquaredError : public MetricBase<RootMeanSquaredError, Mean> {
 public:
  explicit RootMeanSquaredError(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RootMeanSquaredError, MetricOptions)
  template <StringLike S>
  explicit RootMeanSquaredError(const S& name)
      : RootMeanSquaredError(MetricOptions{.name = name}) {}
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
  Nest result() const override;
  std::shared_ptr<Metric> fresh() const override;
  std::string direction() const override { return "down"; }
};

}  // namespace antler::metrics
