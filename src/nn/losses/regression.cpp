#include "antler/nn/losses/regression.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

namespace {

/// x / |x| along `axis`. A zero vector stays zero and gets a finite gradient.
Tensor normalize(const Tensor& x, int64_t axis) {
  const Tensor squares = ops::sum(ops::square(x), {axis}, {.keepdims = true});
  return x * ops::rsqrt(ops::maximum(squares, kEpsilon * kEpsilon));
}

Tensor log_of(const Tensor& x) { return ops::log(ops::maximum(x, kEpsilon) + 1.0); }

}  // namespace

Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = prepare(y_true, y_pred);
  return ops::mean(ops::square(t.y_pred - t.y_true), {-1});
}

Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = prepare(y_true, y_pred);
  return ops::mean(ops::absolute(t.y_pred - t.y_true), {-1});
}

Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = prepare(y_true, y_pred);
  const Tensor scale = ops::maximum(ops::absolute(t.y_true), kEpsilon);
  return ops::mean(ops::absolute((t.y_true - t.y_pred) / scale), {-1}) * 100.0;
}

Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = prepare(y_true, y_pred);
  return ops::mean(ops::square(log_of(t.y_pred) - log_of(t.y_true)), {-1});
}

Tensor huber(const Tensor& y_true, const Tensor& y_pred, double delta) {
  const Targets t = prepare(y_true, y_pred);
  const Tensor error = t.y_pred - t.y_true;
  const Tensor size = ops::absolute(error);
  return ops::mean(ops::where(ops::less_equal(size, delta), ops::square(error) * 0.5,
                              size * delta - 0.5 * delta * delta),
                   {-1});
}

Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = prepare(y_true, y_pred);
  const Tensor error = t.y_pred - t.y_true;
  // log((e^x + e^-x) / 2) = x + log(1 + e^-2x) - log 2, which does not overflow.
  return ops::mean(error + ops::softplus(error * -2.0) - std::numbers::ln2, {-1});
}

Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred, int64_t axis) {
  const Targets t = prepare(y_true, y_pred);
  return -ops::sum(normalize(t.y_true, axis) * normalize(t.y_pred, axis), {axis});
}

MeanSquaredError::MeanSquaredError(const LossOptions& options)
    : Loss(make_loss({"MeanSquaredError", "mean_squared_error"}, options, Json::object(),
                     mean_squared_error)) {}

MeanAbsoluteError::MeanAbsoluteError(const LossOptions& options)
    : Loss(make_loss({"MeanAbsoluteError", "mean_absolute_error"}, options, Json::object(),
                     mean_absolute_error)) {}

MeanAbsolutePercentageError::MeanAbsolutePercentageError(const LossOptions& options)
    : Loss(make_loss({"MeanAbsolutePercentageError", "mean_absolute_percentage_error"}, options,
                     Json::object(), mean_absolute_percentage_error)) {}

MeanSquaredLogarithmicError::MeanSquaredLogarithmicError(const LossOptions& options)
    : Loss(make_loss({"MeanSquaredLogarithmicError", "mean_squared_logarithmic_error"}, options,
                     Json::object(), mean_squared_logarithmic_error)) {}

LogCosh::LogCosh(const LossOptions& options)
    : Loss(make_loss({"LogCosh", "log_cosh"}, options, Json::object(), log_cosh)) {}

template <class V>
void fields(V& v, HuberOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
  v("delta", o.delta);
}

Huber::Huber(double delta, HuberOptions options)
    : Huber(by_position<&HuberOptions::delta>("Huber", std::move(options), delta)) {}

Huber::Huber(const HuberOptions& options)
    : Loss(make_loss({"Huber", "huber_loss"}, base_options(options), config::write(options),
                     [delta = options.delta](const Tensor& y_true, const Tensor& y_pred) {
                       return huber(y_true, y_pred, delta);
                     })) {}

template <class V>
void fields(V& v, CosineSimilarityOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
  v("axis", o.axis);
}

CosineSimilarity::CosineSimilarity(const CosineSimilarityOptions& options)
    : Loss(make_loss({"CosineSimilarity", "cosine_similarity"}, base_options(options),
                     config::write(options),
                     [axis = options.axis](const Tensor& y_true, const Tensor& y_pred) {
                       return cosine_similarity(y_true, y_pred, axis);
                     })) {}

Losses::Family regression_losses() {
  static const LossClass classes[] = {
      loss_class<MeanSquaredError, LossOptions>({"mean_squared_error", "mse", "MSE"},
                                                mean_squared_error),
      loss_class<MeanAbsoluteError, LossOptions>({"mean_absolute_error", "mae", "MAE"},
                                                 mean_absolute_error),
      loss_class<MeanAbsolutePercentageError, LossOptions>(
          {"mean_absolute_percentage_error", "mape", "MAPE"}, mean_absolute_percentage_error),
      loss_class<MeanSquaredLogarithmicError, LossOptions>(
          {"mean_squared_logarithmic_error", "msle", "MSLE"}, mean_squared_logarithmic_error),
      loss_class<Huber, HuberOptions>({"huber", "huber_loss"}),
      loss_class<LogCosh, LossOptions>({"log_cosh", "logcosh"}, log_cosh),
      loss_class<CosineSimilarity, CosineSimilarityOptions>({"cosine_similarity"}),
  };
  return classes;
}

}  // namespace antler::losses
