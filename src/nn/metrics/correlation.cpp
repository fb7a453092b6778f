#include "antler/nn/metrics/correlation.h"

#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/axes_field.h"
#include "nn/losses/support.h"
#include "nn/metrics/families.h"
#include "nn/metrics/support.h"

namespace antler::metrics {

Tensor pearson_correlation(const Tensor& y_true, const Tensor& y_pred, const AxisList& axis) {
  const losses::Targets t = losses::prepare(y_true, y_pred);
  const ops::Axes& axes = axis.values();
  const auto standardized = [&](const Tensor& x) {
    const Tensor centered = x - ops::mean(x, axes, {.keepdims = true});
    return centered / ops::std(centered, axes, {.keepdims = true});
  };
  return ops::mean(standardized(t.y_true) * standardized(t.y_pred), axes);
}

Tensor concordance_correlation(const Tensor& y_true, const Tensor& y_pred, const AxisList& axis) {
  const losses::Targets t = losses::prepare(y_true, y_pred);
  const ops::Axes& axes = axis.values();
  const Tensor mean_true = ops::mean(t.y_true, axes, {.keepdims = true});
  const Tensor mean_pred = ops::mean(t.y_pred, axes, {.keepdims = true});
  const Tensor spread = ops::variance(t.y_true - mean_true, axes, {.keepdims = true}) +
                        ops::variance(t.y_pred - mean_pred, axes, {.keepdims = true}) +
                        ops::square(mean_true - mean_pred);
  // Keras centers both at the mean of the predictions; the mean of the product is the same.
  const Tensor product = (t.y_true - mean_pred) * (t.y_pred - mean_pred);
  return ops::mean(2.0 * product / (spread + losses::kEpsilon), axes);
}

template <class V>
void fields(V& v, CorrelationOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  axes_or_null(v, o.axis);
}

PearsonCorrelation::PearsonCorrelation(const CorrelationOptions& o)
    : MeanMetricWrapper(
          define<Definition>("PearsonCorrelation", "pearson_correlation", o, "up",
                             [axis = o.axis](const Tensor& y_true, const Tensor& y_pred) {
                               return pearson_correlation(y_true, y_pred, axis);
                             })) {}

ConcordanceCorrelation::ConcordanceCorrelation(const CorrelationOptions& o)
    : MeanMetricWrapper(
          define<Definition>("ConcordanceCorrelation", "concordance_correlation", o, "up",
                             [axis = o.axis](const Tensor& y_true, const Tensor& y_pred) {
                               return concordance_correlation(y_true, y_pred, axis);
                             })) {}

template <class V>
void fields(V& v, R2ScoreOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("class_aggregation", o.class_aggregation);
  v("num_regressors", o.num_regressors);
}

R2Score::R2Score(const R2ScoreOptions& o)
    : MetricOf(o, "R2Score", name_or(o.name, "r2_score"), o.dtype, config::write(o), "up"),
      num_samples_(add_variable("num_samples", {})),
      sums_(std::make_shared<Sums>()) {
  if (o.class_aggregation && *o.class_aggregation != "uniform_average" &&
      *o.class_aggregation != "variance_weighted_average") {
    throw ValueError(
        "Invalid value for argument `class_aggregation`. Expected one of (None, 'uniform_average', "
        "'variance_weighted_average'). Received: class_aggregation={}",
        *o.class_aggregation);
  }
  if (o.num_regressors < 0) {
    throw ValueError(
        "Invalid value for argument `num_regressors`. Expected a value >= 0. Received: "
        "num_regressors={}",
        o.num_regressors);
  }
}

void R2Score::update_state(const Tensor& y_true, const Tensor& y_pred,
                           const Tensor& sample_weight) {
  const losses::Targets t = losses::same_rank(cast_to(y_true, dtype()), cast_to(y_pred, dtype()));
  if (!sums_->sum.defined()) {
    if (t.y_true.rank() != 2 || t.y_pred.rank() != 2) {
      throw ValueError(
          "R2Score expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
          "y_pred.shape={} and y_true.shape={}.",
          t.y_pred.shape(), t.y_true.shape());
    }
    const Shape shape{t.y_pred.dim(1)};
    *sums_ = {add_variable("squared_sum", shape), add_variable("sum", shape),
              add_variable("residual", shape), add_variable("count", shape)};
  }
  Tensor weight = Tensor::full(dtype(), {}, 1.0);
  if (sample_weight.defined()) weight = cast_to(sample_weight, dtype());
  if (weight.rank() == 1) weight = ops::expand_dims(weight, 1);
  weight = ops::broadcast_to(weight, t.y_true.shape());
  const auto accumulate = [](const Variable& total, const Tensor& value) {
    total.assign(total.value() + cast_to(ops::sum(value, {0}), total.dtype()));
  };
  accumulate(sums_->sum, t.y_true * weight);
  accumulate(sums_->squared_sum, t.y_true * (t.y_true * weight));
  accumulate(sums_->residual, ops::square(t.y_true - t.y_pred) * weight);
  accumulate(sums_->count, weight);
  num_samples_.assign(num_samples_.value() + static_cast<double>(t.y_true.size()));
}

Nest R2Score::result() const {
  constexpr double kRounding = 0x1p-23;
  if (!sums_->sum.defined()) return Tensor::full(DType::float32, {}, 0.0);
  const Tensor sum = sums_->sum.value();
  const Tensor squares = sums_->squared_sum.value();
  Tensor total = squares - sum * (sum / sums_->count.value());
  // Constant targets have no variance; the rounding error that is left must not become a divisor.
  total = ops::where(ops::less(total, squares * kRounding), 0.0, total);
  Tensor score = 1.0 - sums_->residual.value() / total;
  score = ops::where(ops::isinf(score), 0.0, score);
  const auto& aggregation = options().class_aggregation;
  if (aggregation == "uniform_average") {
    score = ops::mean(score);
  } else if (aggregation == "variance_weighted_average") {
    score = ops::sum(total * score) / ops::sum(total);
  }
  if (options().num_regressors == 0) return score;
  const auto regressors = static_cast<double>(options().num_regressors);
  const Tensor n = num_samples_.value();
  const Tensor adjusted = 1.0 - (1.0 - score) * (n - 1.0) / (n - regressors - 1.0);
  return ops::where(ops::less(regressors, n - 1.0), adjusted, score);
}

Metrics::Family correlation_metrics() {
  static const MetricClass classes[] = {
      metric_class<PearsonCorrelation, CorrelationOptions>({"pearson_correlation"}),
      metric_class<ConcordanceCorrelation, CorrelationOptions>({"concordance_correlation"}),
      metric_class<R2Score, R2ScoreOptions>({"r2_score"}),
  };
  return classes;
}

}  // namespace antler::metrics
