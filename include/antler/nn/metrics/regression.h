#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "antler/nn/metrics/reduction.h"

/// Errors of predicted numbers; the functions are those of nn/losses/regression.h.
namespace antler::metrics {

struct MeanSquaredError : MeanMetricWrapper {
  explicit MeanSquaredError(const MetricOptions& options = {});
};
struct MeanAbsoluteError : MeanMetricWrapper {
  explicit MeanAbsoluteError(const MetricOptions& options = {});
};
struct MeanAbsolutePercentageError : MeanMetricWrapper {
  explicit MeanAbsolutePercentageError(const MetricOptions& options = {});
};
struct MeanSquaredLogarithmicError : MeanMetricWrapper {
  explicit MeanSquaredLogarithmicError(const MetricOptions& options = {});
};
struct LogCoshError : MeanMetricWrapper {
  explicit LogCoshError(const MetricOptions& options = {});
};

struct CosineSimilarityOptions {
  std::string name = {};
  DType dtype = DType::float32;
  int64_t axis = -1;
};
/// +1 for the same direction: the opposite sign of the loss.
struct CosineSimilarity : MeanMetricWrapper {
  explicit CosineSimilarity(const CosineSimilarityOptions& options = {});
};

/// Square root of the mean squared error of all that was seen.
class RootMeanSquaredError : public MetricBase<RootMeanSquaredError, Mean> {
 public:
  explicit RootMeanSquaredError(const MetricOptions& options = {});
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
  Nest result() const override;
  std::shared_ptr<Metric> fresh() const override;
  std::string direction() const override { return "down"; }
};

}  // namespace antler::metrics
