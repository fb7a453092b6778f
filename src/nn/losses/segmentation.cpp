#include "antler/nn/losses/segmentation.h"

#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/axis_fields.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

Tensor dice(const Tensor& y_true, const Tensor& y_pred, const std::optional<AxisList>& axis) {
  const Targets t = same_dtype(y_true, y_pred);
  const std::vector<int64_t> axes = axis ? axis->values() : std::vector<int64_t>();
  const Tensor overlap = ops::sum(t.y_true * t.y_pred, axes);
  const Tensor all = ops::sum(t.y_true, axes) + ops::sum(t.y_pred, axes);
  return 1.0 - overlap * 2.0 / (all + kEpsilon);
}

Tensor tversky(const Tensor& y_true, const Tensor& y_pred, double alpha, double beta,
               const std::optional<AxisList>& axis) {
  const Targets t = same_dtype(y_true, y_pred);
  const std::vector<int64_t> axes = axis ? axis->values() : std::vector<int64_t>();
  const Tensor overlap = ops::sum(t.y_true * t.y_pred, axes);
  const Tensor missed = ops::sum((1.0 - t.y_pred) * t.y_true, axes);
  const Tensor invented = ops::sum(t.y_pred * (1.0 - t.y_true), axes);
  return 1.0 - overlap / (overlap + missed * alpha + invented * beta + kEpsilon);
}

template <class V>
void fields(V& v, DiceOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
  v("axis", o.axis);
}

Dice::Dice(const DiceOptions& options)
    : Loss(make_loss({"Dice", "dice"}, base_options(options), config::write(options),
                     [axis = options.axis](const Tensor& y_true, const Tensor& y_pred) {
                       return dice(y_true, y_pred, axis);
                     })) {}

template <class V>
void fields(V& v, TverskyOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
  v("alpha", o.alpha);
  v("beta", o.beta);
  v("axis", o.axis);
}

Tversky::Tversky(const TverskyOptions& options)
    : Loss(make_loss({"Tversky", "tversky"}, base_options(options), config::write(options),
                     [o = options](const Tensor& y_true, const Tensor& y_pred) {
                       return tversky(y_true, y_pred, o.alpha, o.beta, o.axis);
                     })) {}

Losses::Family segmentation_losses() {
  static const LossClass classes[] = {
      loss_class<Dice, DiceOptions>({"dice"}),
      loss_class<Tversky, TverskyOptions>({"tversky"}),
  };
  return classes;
}

}  // namespace antler::losses
