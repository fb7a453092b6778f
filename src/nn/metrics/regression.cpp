#include "antler/nn/metrics/regression.h"

#include "antler/nn/losses/regression.h"
#include "antler/nn/mask.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/losses/support.h"
#include "nn/metrics/families.h"

namespace antler::metrics {

MeanSquaredError::MeanSquaredError(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("MeanSquaredError", "mean_squared_error", o, "down",
                                           losses::mean_squared_error)) {}

MeanAbsoluteError::MeanAbsoluteError(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("MeanAbsoluteError", "mean_absolute_error", o, "down",
                                           losses::mean_absolute_error)) {}

MeanAbsolutePercentageError::MeanAbsolutePercentageError(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("MeanAbsolutePercentageError",
                                           "mean_absolute_percentage_error", o, "down",
                                           losses::mean_absolute_percentage_error)) {}

MeanSquaredLogarithmicError::MeanSquaredLogarithmicError(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("MeanSquaredLogarithmicError",
                                           "mean_squared_logarithmic_error", o, "down",
                                           losses::mean_squared_logarithmic_error)) {}

LogCoshError::LogCoshError(const MetricOptions& o)
    : MeanMetricWrapper(
          define<Definition>("LogCoshError", "logcosh", o, "down", losses::log_cosh)) {}

template <class V>
void fields(V& v, CosineSimilarityOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("axis", o.axis);
}

CosineSimilarity::CosineSimilarity(const CosineSimilarityOptions& o)
    : MeanMetricWrapper(
          define<Definition>("CosineSimilarity", "cosine_similarity", o, "up",
                             [axis = o.axis](const Tensor& y_true, const Tensor& y_pred) {
                               return -losses::cosine_similarity(y_true, y_pred, axis);
                             })) {}

RootMeanSquaredError::RootMeanSquaredError(const MetricOptions& options)
    : MetricBase("RootMeanSquaredError", name_or(options.name, "root_mean_squared_error"),
                 options.dtype) {}

void RootMeanSquaredError::update_state(const Tensor& y_true, const Tensor& y_pred,
                                        const Tensor& sample_weight) {
  const losses::Targets t = losses::prepare(y_true, y_pred);
  const Tensor weight = losses::apply_mask(sample_weight, keras_mask(y_pred), dtype(), false);
  Mean::update_state(ops::square(t.y_pred - t.y_true), weight);
}

Nest RootMeanSquaredError::result() const { return ops::sqrt(mean()); }

std::shared_ptr<Metric> RootMeanSquaredError::fresh() const {
  return std::make_shared<RootMeanSquaredError>(MetricOptions{.name = name(), .dtype = dtype()});
}

Metrics::Family regression_metrics() {
  static const MetricClass classes[] = {
      metric_class<MeanSquaredError, MetricOptions>({"mean_squared_error", "mse", "MSE"}),
      metric_class<MeanAbsoluteError, MetricOptions>({"mean_absolute_error", "mae", "MAE"}),
      metric_class<MeanAbsolutePercentageError, MetricOptions>(
          {"mean_absolute_percentage_error", "mape", "MAPE"}),
      metric_class<MeanSquaredLogarithmicError, MetricOptions>(
          {"mean_squared_logarithmic_error", "msle", "MSLE"}),
      metric_class<RootMeanSquaredError, MetricOptions>({}),
      metric_class<LogCoshError, MetricOptions>({"log_cosh", "logcosh"}),
      metric_class<CosineSimilarity, CosineSimilarityOptions>({"cosine_similarity"}),
  };
  return classes;
}

}  // namespace antler::metrics
