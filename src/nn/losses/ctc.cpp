#include "antler/base/error.h"
#include "antler/nn/losses/sequence.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

Tensor ctc(const Tensor& y_true, const Tensor& y_pred) {
  if (y_true.rank() != 2) {
    throw ValueError(
        "Targets `y_true` are expected to be a tensor of shape `(batch_size, max_length)` in "
        "integer format. Received: y_true.shape={}",
        y_true.shape());
  }
  if (y_pred.rank() != 3) {
    throw ValueError(
        "Logits `y_pred` are expected to be a tensor of shape `(batch_size, max_length, "
        "num_classes)`. Received: y_pred.shape={}",
        y_pred.shape());
  }
  const Tensor labels = ops::cast(y_true, DType::int32);
  const Tensor lengths = ops::sum(ops::cast(ops::not_equal(labels, 0), DType::int32), {-1});
  return ops::ctc_loss(labels, to_floating(y_pred), lengths);
}

template <class V>
void fields(V& v, CTCOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
}

CTC::CTC(const CTCOptions& options)
    : Loss(make_loss({"CTC", "ctc"}, base_options(options), config::write(options), ctc)) {}

Losses::Family sequence_losses() {
  static const LossClass classes[] = {loss_class<CTC, CTCOptions>({"ctc"}, ctc)};
  return classes;
}

}  // namespace antler::losses
