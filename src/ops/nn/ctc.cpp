#include <limits>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "ops/support.h"

/// Connectionist temporal classification.
namespace antler::ops {
namespace {

/// The logarithm of probability zero. Finite, so that the difference of two is not NaN.
constexpr double kImpossible = -1e30;
/// Sums of kImpossible and logits are below this.
constexpr double kHardlyPossible = -1e29;

/// Shifts `x` [batch, states] by `by` states; the new states are impossible.
Tensor move_up(const Tensor& x, int64_t by) {
  const int64_t kept = x.dim(1) - by;
  if (kept <= 0) return full(x.shape(), kImpossible, x.dtype());
  return pad(slice_axis(x, 1, 0, kept), {0, by}, {0, 0}, {},
             Tensor::full(x.dtype(), {}, kImpossible));
}

/// log(exp(a) + exp(b)).
Tensor either(const Tensor& a, const Tensor& b) {
  const Tensor larger = stop_gradient(maximum(a, b));
  return larger + log(exp(a - larger) + exp(b - larger));
}

/// Labels with a blank before, between and after: [batch, 2 labels + 1].
Tensor with_blanks(const Tensor& labels, const Tensor& blank) {
  const Tensor pairs = stack({full_like(labels, blank), labels}, 2);
  return pad(reshape(pairs, {labels.dim(0), 2 * labels.dim(1)}), {0, 0}, {0, 1}, {}, blank);
}

/// Lengths [batch] as a column; `size` if undefined.
Tensor column_of_lengths(const Tensor& lengths, int64_t batch, int64_t size) {
  if (!lengths.defined()) return filled(static_cast<double>(size), DType::int32, {batch, 1});
  return reshape(cast(lengths, DType::int32), {batch, 1});
}

}  // namespace

Tensor ctc_loss(const Tensor& target, const Tensor& output, const Tensor& target_length,
                const Tensor& output_length, int64_t mask_index) {
  require_defined("ctc_loss", target);
  require_defined("ctc_loss", output);
  if (target.rank() != 2 || output.rank() != 3) {
    throw ValueError(
        "ops::ctc_loss: expected labels [batch, labels] and logits [batch, time, classes]. "
        "Received: target.shape={}, output.shape={}",
        target.shape(), output.shape());
  }
  const Tensor blank = scalar(static_cast<double>(mask_index), DType::int32);
  const Tensor path = with_blanks(cast(target, DType::int32), blank);
  const int64_t batch = path.dim(0);
  const int64_t states = path.dim(1);
  const int64_t steps = output.dim(1);
  const Tensor lengths = column_of_lengths(target_length, batch, target.dim(1));
  const Tensor log_p = log_softmax(to_float("ctc_loss", output), -1);
  const DType dtype = log_p.dtype();
  const Tensor index = broadcast_to(expand_dims(path, 1), Shape{batch, steps, states});
  const Tensor emitted =
      transpose(take_along_axis(log_p, index, -1), {1, 0, 2});  // [time, batch, states]
  // The blank between two different labels may be skipped. Labels are the odd states. As in Keras,
  // a label may equal the blank and still counts as a label.
  const Tensor state = iota({batch, states}, 1);
  const Tensor before = pad(slice_axis(path, 1, 0, states - 1), {0, 1}, {0, 0}, {}, blank);
  const Tensor before_that = pad(slice_axis(before, 1, 0, states - 1), {0, 1}, {0, 0}, {}, blank);
  const Tensor skips = logical_and(equal(mod(state, 2), 1), not_equal(path, before_that));
  const Tensor impossible = Tensor::full(dtype, {}, kImpossible);
  const Tensor first = reshape(slice_axis(emitted, 0, 0, 1), Shape{batch, states});
  const Tensor start = where(less(state, 2), first, impossible);
  Tensor last = start;
  if (steps > 1) {
    Tensors xs = {slice_axis(emitted, 0, 1, steps)};
    if (output_length.defined()) {
      // Whether the step is within the sample, [time, batch, 1].
      const Tensor time = iota({steps - 1, batch, 1}, 0);
      xs.push_back(less(add(time, 1), column_of_lengths(output_length, batch, steps)));
    }
    const auto result = scan(
        [&](const std::vector<Tensor>& carry, const std::vector<Tensor>& x) {
          const Tensor& log_a = carry[0];
          const Tensor skipped = where(skips, move_up(log_a, 2), impossible);
          Tensor next = add(x[0], either(either(log_a, move_up(log_a, 1)), skipped));
          if (x.size() > 1) next = where(x[1], next, log_a);
          return std::pair<std::vector<Tensor>, std::vector<Tensor>>({next}, {});
        },
        {start}, xs);
    last = result.carry[0];
  }
  // An alignment ends in the last label or in the blank after it.
  const Tensor ends = logical_or(equal(state, multiply(lengths, 2)),
                                 equal(state, subtract(multiply(lengths, 2), 1)));
  const Tensor log_probability = logsumexp(where(ends, last, impossible), {1});
  return where(less(log_probability, kHardlyPossible),
               Tensor::full(dtype, {}, std::numeric_limits<double>::infinity()),
               negative(log_probability));
}

CtcDecoded ctc_decode(const Tensor& inputs, const Tensor& sequence_lengths,
                      CtcDecodeOptions options) {
  if (options.strategy == "beam_search") {
    return ctc_beam_search(inputs, sequence_lengths,
                           {.beam_width = options.beam_width,
                            .top_paths = options.top_paths,
                            .mask_index = options.mask_index});
  }
  if (options.strategy != "greedy") {
    throw ValueError("Invalid strategy {}. Supported values are 'greedy' and 'beam_search'.",
                     options.strategy);
  }
  const Shape& shape = known_shape("ctc_decode", inputs);
  if (shape.rank() != 3) {
    throw ValueError(
        "ops::ctc_decode: expected logits [batch, time, classes]. Received: inputs.shape={}",
        shape);
  }
  const Shape table{shape[0], shape[1]};
  const Tensor blank = scalar(static_cast<double>(options.mask_index), DType::int32);
  const Tensor time = iota(table, 1);
  const Tensor inside = less(time, column_of_lengths(sequence_lengths, shape[0], shape[1]));
  Tensor labels = where(inside, argmax(inputs, -1), blank);
  const Tensor scores = where(inside, max(inputs, {-1}), 0);
  if (options.merge_repeated) {
    const Tensor same =
        equal(slice_axis(labels, 1, 1, shape[1]), slice_axis(labels, 1, 0, shape[1] - 1));
    labels = where(equal(pad(cast(same, DType::int32), {0, 1}, {0, 0}), 1), blank, labels);
  }
  const Tensor left_out = equal(labels, blank);
  const Tensor order =
      argsort(where(left_out, scalar(static_cast<double>(shape[1]), DType::int32), time), -1);
  const Tensor kept = take_along_axis(where(left_out, scalar(-1, DType::int32), labels), order, -1);
  return {expand_dims(kept, 0), negative(sum(scores, {1}, {.keepdims = true}))};
}

}  // namespace antler::ops
