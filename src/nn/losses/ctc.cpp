#include <limits>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/losses/sequence.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/nn.h"
#include "antler/ops/reduce.h"
#include "antler/ops/shape.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

namespace {

/// Logarithm of a probability of zero. Finite, so that differences of two of them are no NaN.
constexpr double kImpossible = -1e30;
/// Sums of kImpossible and logits stay below this.
constexpr double kHardlyPossible = -1e29;

/// `x` [batch, states] moved `by` states up, impossible ones moved in.
Tensor move_up(const Tensor& x, int64_t by) {
  const int64_t kept = x.dim(1) - by;
  if (kept <= 0) return ops::full(x.shape(), kImpossible, x.dtype());
  return ops::pad(ops::slice_axis(x, 1, 0, kept), {0, by}, {0, 0}, {},
                  Tensor::full(x.dtype(), {}, kImpossible));
}

/// log(exp(a) + exp(b)).
Tensor either(const Tensor& a, const Tensor& b) {
  const Tensor larger = ops::stop_gradient(ops::maximum(a, b));
  return larger + ops::log(ops::exp(a - larger) + ops::exp(b - larger));
}

/// Labels with a blank before, between and after: [batch, 2 labels + 1].
Tensor with_blanks(const Tensor& labels) {
  const Tensor pairs = ops::stack({ops::zeros(labels.shape(), labels.dtype()), labels}, 2);
  return ops::pad(ops::reshape(pairs, {labels.dim(0), 2 * labels.dim(1)}), {0, 0}, {0, 1}, {},
                  Tensor::full(labels.dtype(), {}, 0.0));
}

}  // namespace

Tensor ctc(const Tensor& y_true, const Tensor& y_pred) {
  if (y_true.rank() != 2) {
    throw ValueError(
        "Targets `y_true` are expected to be a tensor of shape `(batch_size, max_length)` in "
        "integer format. Received: y_true.shape=" +
        y_true.shape().str());
  }
  if (y_pred.rank() != 3) {
    throw ValueError(
        "Logits `y_pred` are expected to be a tensor of shape `(batch_size, max_length, "
        "num_classes)`. Received: y_pred.shape=" +
        y_pred.shape().str());
  }
  const Tensor labels = ops::cast(y_true, DType::int32);
  const Tensor lengths =
      ops::sum(ops::cast(ops::not_equal(labels, 0), DType::int32), {-1}, true);  // [batch, 1]
  const Tensor path = with_blanks(labels);
  const int64_t batch = path.dim(0);
  const int64_t states = path.dim(1);
  const int64_t steps = y_pred.dim(1);
  const Tensor log_p = ops::log_softmax(to_floating(y_pred), -1);
  const DType dtype = log_p.dtype();
  const Tensor index = ops::broadcast_to(ops::expand_dims(path, 1), Shape{batch, steps, states});
  const Tensor emitted =
      ops::transpose(ops::take_along_axis(log_p, index, -1), {1, 0, 2});  // [time, batch, states]
  // A blank may be left out between two different labels.
  const Tensor before = ops::pad(ops::slice_axis(path, 1, 0, states - 1), {0, 1}, {0, 0}, {},
                                 Tensor::full(DType::int32, {}, 0.0));
  const Tensor before_that = ops::pad(ops::slice_axis(before, 1, 0, states - 1), {0, 1}, {0, 0}, {},
                                      Tensor::full(DType::int32, {}, 0.0));
  const Tensor skips = ops::logical_and(ops::not_equal(path, 0), ops::not_equal(path, before_that));
  const Tensor impossible = Tensor::full(dtype, {}, kImpossible);
  const Tensor state = ops::iota({batch, states}, 1);
  const Tensor first = ops::reshape(ops::slice_axis(emitted, 0, 0, 1), Shape{batch, states});
  const Tensor start = ops::where(ops::less(state, 2), first, impossible);
  Tensor last = start;
  if (steps > 1) {
    const auto result = ops::scan(
        [&](const std::vector<Tensor>& carry, const std::vector<Tensor>& x) {
          const Tensor& log_a = carry[0];
          const Tensor skipped = ops::where(skips, move_up(log_a, 2), impossible);
          const Tensor next = x[0] + either(either(log_a, move_up(log_a, 1)), skipped);
          return std::pair<std::vector<Tensor>, std::vector<Tensor>>({next}, {});
        },
        {start}, {ops::slice_axis(emitted, 0, 1, steps)});
    last = result.carry[0];
  }
  // The alignment ends in the last label or in the blank after it.
  const Tensor ends =
      ops::logical_or(ops::equal(state, lengths * 2), ops::equal(state, lengths * 2 - 1));
  const Tensor log_probability = ops::logsumexp(ops::where(ends, last, impossible), {1});
  return ops::where(ops::less(log_probability, kHardlyPossible),
                    Tensor::full(dtype, {}, std::numeric_limits<double>::infinity()),
                    -log_probability);
}

template <class V>
void fields(V& v, CTCOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
}

CTC::CTC(const CTCOptions& options)
    : Loss(make_loss({"CTC", "ctc"}, base_options(options), config::write(options), ctc)) {}

LossSpan sequence_losses() {
  static const LossEntry entries[] = {{"CTC", {"ctc"}, from_config<CTC, CTCOptions>, ctc}};
  return entries;
}

}  // namespace antler::losses
