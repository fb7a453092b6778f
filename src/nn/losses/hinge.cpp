#include "antler/nn/losses/hinge.h"

#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

namespace {

/// max(1 - t p, 0), targets 0 and 1 mapped to -1 and 1 where there are no others.
Tensor margin(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = prepare(y_true, y_pred);
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
  const Targets t = prepare(y_true, y_pred);
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

LossSpan hinge_losses() {
  static const LossEntry entries[] = {
      {"Hinge", {"hinge"}, from_config<Hinge, LossOptions>, hinge},
      {"SquaredHinge", {"squared_hinge"}, from_config<SquaredHinge, LossOptions>, squared_hinge},
      {"CategoricalHinge",
       {"categorical_hinge"},
       from_config<CategoricalHinge, LossOptions>,
       categorical_hinge},
  };
  return entries;
}

}  // namespace antler::losses
