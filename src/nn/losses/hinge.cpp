#include "antler/nn/losses/hinge.h"

#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

namespace {

/// max(1 - t p, 0). If all targets are 0 or 1, they are mapped to -1 and 1.
Tensor margin(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = same_dtype(y_true, y_pred);
  const Tensor binary =
      ops::all(ops::logical_or(ops::equal(t.y_true, 0.0), ops::equal(t.y_true, 1.0)));
  const Tensor target = ops::where(binary, t.y_true * 2.0 - 1.0, t.y_true);
  return ops::maximum(1.0 - target * t.y_pred, 0.0);
}

}  // namespace

Tensor hinge(const Tensor& y_true, const Tensor& y_pred) {
  return ops::mean(margin(y_true, y_pred), {-1});
}

Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred) {
  return ops::mean(ops::square(margin(y_true, y_pred)), {-1});
}

Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = same_dtype(y_true, y_pred);
  const Tensor positive = ops::sum(t.y_true * t.y_pred, {-1});
  const Tensor negative = ops::max((1.0 - t.y_true) * t.y_pred, {-1});
  return ops::maximum(negative - positive + 1.0, 0.0);
}

Hinge::Hinge(const LossOptions& options)
    : Loss(make_loss({"Hinge", "hinge"}, options, Json::object(), hinge)) {}

SquaredHinge::SquaredHinge(const LossOptions& options)
    : Loss(make_loss({"SquaredHinge", "squared_hinge"}, options, Json::object(), squared_hinge)) {}

CategoricalHinge::CategoricalHinge(const LossOptions& options)
    : Loss(make_loss({"CategoricalHinge", "categorical_hinge"}, options, Json::object(),
                     categorical_hinge)) {}

Losses::Family hinge_losses() {
  static const LossClass classes[] = {
      loss_class<Hinge, LossOptions>({"hinge"}, hinge),
      loss_class<SquaredHinge, LossOptions>({"squared_hinge"}, squared_hinge),
      loss_class<CategoricalHinge, LossOptions>({"categorical_hinge"}, categorical_hinge),
  };
  return classes;
}

}  // namespace antler::losses
