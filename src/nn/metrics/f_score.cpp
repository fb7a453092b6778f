#include "antler/nn/metrics/f_score.h"

#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/support.h"
#include "nn/metrics/families.h"
#include "nn/metrics/support.h"

namespace antler::metrics {

namespace {

FBetaScoreOptions checked(FBetaScoreOptions o) {
  if (o.average && *o.average != "micro" && *o.average != "macro" && *o.average != "weighted") {
    throw ValueError(
        "Invalid `average` argument value. Expected one of: {{None, 'micro', 'macro', "
        "'weighted'}}. Received: average={}",
        *o.average);
  }
  if (!(o.beta > 0)) {
    throw ValueError("Invalid `beta` argument value. It should be > 0. Received: beta={}", o.beta);
  }
  if (o.threshold && !(*o.threshold > 0 && *o.threshold <= 1)) {
    throw ValueError(
        "Invalid `threshold` argument value. It should verify 0 < threshold <= 1. Received: "
        "threshold={}",
        *o.threshold);
  }
  return o;
}

FBetaScoreOptions with_beta_one(const F1ScoreOptions& o) {
  return {.average = o.average,
          .beta = 1.0,
          .threshold = o.threshold,
          .name = name_or(o.name, "f1_score"),
          .dtype = o.dtype};
}

}  // namespace

template <class V>
void fields(V& v, FBetaScoreOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("average", o.average);
  v("beta", o.beta);
  v("threshold", o.threshold);
}

template <class V>
void fields(V& v, F1ScoreOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("average", o.average);
  v("threshold", o.threshold);
}

FBetaScore::FBetaScore(const FBetaScoreOptions& o)
    : FBetaScore("FBetaScore", checked(o), config::write(o)) {}

FBetaScore::FBetaScore(const char* class_name, const FBetaScoreOptions& o, const Json& config)
    : MetricOf(o, class_name, name_or(o.name, "fbeta_score"), o.dtype, config, "up"),
      counts_(std::make_shared<Counts>()) {}

void FBetaScore::create(const Shape& y_true, const Shape& y_pred) {
  if (y_true.rank() != 2 || y_pred.rank() != 2) {
    throw ValueError(
        "FBetaScore expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
        "y_pred.shape={} and y_true.shape={}.",
        y_pred, y_true);
  }
  const Shape shape = options().average == "micro" ? Shape() : Shape{y_pred[1]};
  const auto add = [&](const char* name) { return add_variable(name, shape, 0.0, dtype()); };
  *counts_ = {add("true_positives"), add("false_positives"), add("false_negatives"),
              add("intermediate_weights")};
}

void FBetaScore::update_state(const Tensor& y_true, const Tensor& y_pred,
                              const Tensor& sample_weight) {
  if (!counts_->true_positives.defined()) create(y_true.shape(), y_pred.shape());
  const Tensor truth = cast_to(y_true, dtype());
  const Tensor score = cast_to(y_pred, dtype());
  Tensor positive;
  if (options().threshold) {
    positive = ops::greater(score, *options().threshold);
  } else {
    // A row of zeros has no positive class.
    positive =
        ops::logical_and(ops::greater_equal(score, ops::max(score, {-1}, {.keepdims = true})),
                         ops::greater(ops::absolute(score), 1e-9));
  }
  const Tensor prediction = ops::cast(positive, dtype());
  const bool per_class = options().average != "micro";
  const auto accumulate = [&](const Variable& total, Tensor value) {
    if (sample_weight.defined()) {
      const Tensor weight = cast_to(sample_weight, dtype());  // [batch], or [batch, 1]
      // As in Keras, which broadcasts weights [batch, 1] to [batch, batch, classes] under "micro".
      // For the other averages, where Keras throws, they mean the same as [batch].
      const bool adds_axis = weight.rank() == 1 || (weight.rank() == 2 && !per_class);
      value = value * (adds_axis ? ops::expand_dims(weight, 1) : weight);
    }
    const Tensor sum = per_class ? ops::sum(value, {0}) : ops::sum(value);
    total.assign(total.value() + sum);
  };
  accumulate(counts_->true_positives, prediction * truth);
  accumulate(counts_->false_positives, prediction * (1.0 - truth));
  accumulate(counts_->false_negatives, (1.0 - prediction) * truth);
  accumulate(counts_->intermediate_weights, truth);
}

Nest FBetaScore::result() const {
  if (!counts_->true_positives.defined()) return Tensor::full(dtype(), {}, 0.0);
  constexpr double kEps = losses::kEpsilon;
  const Tensor tp = counts_->true_positives.value();
  const Tensor precision = tp / (tp + counts_->false_positives.value() + kEps);
  const Tensor recall = tp / (tp + counts_->false_negatives.value() + kEps);
  const double square = options().beta * options().beta;
  const Tensor score = precision * recall / (square * precision + recall + kEps) * (1.0 + square);
  if (!options().average) return score;
  if (*options().average != "weighted") return ops::mean(score);
  const Tensor weight = counts_->intermediate_weights.value();
  return ops::sum(score * (weight / (ops::sum(weight) + kEps)));
}

F1Score::F1Score(const F1ScoreOptions& o)
    : FBetaScore("F1Score", checked(with_beta_one(o)), config::write(o)), options_(o) {}

std::shared_ptr<Metric> F1Score::share() const { return std::make_shared<F1Score>(*this); }

std::shared_ptr<Metric> F1Score::fresh() const {
  F1ScoreOptions options = options_;
  options.name = name();
  return std::make_shared<F1Score>(options);
}

Metrics::Family f_score_metrics() {
  static const MetricClass classes[] = {
      metric_class<FBetaScore, FBetaScoreOptions>({"f_beta_score"}),
      metric_class<F1Score, F1ScoreOptions>({"f1_score"}),
  };
  return classes;
}

}  // namespace antler::metrics
