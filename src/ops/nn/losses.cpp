#include <cmath>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// keras.config.epsilon().
constexpr double kEpsilon = 1e-7;

Tensor clip_probabilities(const Tensor& p) { return clip(p, kEpsilon, 1.0 - kEpsilon); }

void require_same_shape(const char* op, const Tensor& target, const Tensor& output) {
  require_defined(op, target);
  require_defined(op, output);
  if (target.shape() == output.shape()) return;
  throw ValueError(
      "ops::{}: Arguments `target` and `output` must have the same shape. Received: "
      "target.shape={}, output.shape={}",
      op, target.shape(), output.shape());
}

void require_rank(const char* op, const Tensor& output) {
  if (output.rank() >= 1) return;
  throw ValueError("ops::{}: Argument `output` must be at least rank 1. Received: output.shape={}",
                   op, output.shape());
}

Tensor log_probabilities(const Tensor& output, int64_t axis) {
  return log(clip_probabilities(divide(output, sum(output, {axis}, {.keepdims = true}))));
}

/// Log probabilities in two parts: log p = shifted - log_total. They are kept apart so that a sum
/// over classes takes the logarithm once per row, and its gradient reuses the exponentials of the
/// total.
struct LogSoftmax {
  Tensor shifted;
  Tensor log_total;  ///< without the class axis

  LogSoftmax(const Tensor& logits, int64_t axis)
      : shifted(subtract(logits, stop_gradient(max(logits, {axis}, {.keepdims = true})))),
        log_total(log(sum(exp(shifted), {axis}))) {}
};

}  // namespace

Tensor categorical_crossentropy(const Tensor& target, const Tensor& output,
                                CrossentropyOptions options) {
  const int64_t axis = options.axis;
  require_same_shape("categorical_crossentropy", target, output);
  require_rank("categorical_crossentropy", output);
  const Tensor x = to_float("categorical_crossentropy", output);
  if (!options.from_logits)
    return negative(sum(multiply(target, log_probabilities(x, axis)), {axis}));
  const LogSoftmax p(x, axis);
  return subtract(multiply(sum(target, {axis}), p.log_total),
                  sum(multiply(target, p.shifted), {axis}));
}

Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output,
                                       CrossentropyOptions options) {
  constexpr const char* kName = "sparse_categorical_crossentropy";
  require_defined(kName, target);
  const Tensor logits = to_float(kName, output);
  require_rank(kName, logits);
  const int a = normalize_axis_of(kName, options.axis, logits.rank());
  Tensor labels = cast(target, DType::int32);
  if (labels.rank() == logits.rank() && labels.shape().back() == 1) labels = squeeze(labels, -1);
  std::vector<int64_t> expected = logits.shape().dims();
  expected.erase(expected.begin() + a);
  if (!(labels.shape() == Shape(expected))) {
    throw ValueError(
        "ops::{}: Arguments `target` and `output` must have the same shape up until the last "
        "dimension: target.shape={}, output.shape={}",
        kName, target.shape(), output.shape());
  }
  // A comparison and a select instead of a gather: both passes then fuse into loops over rows.
  const Tensor is_label = equal(iota(logits.shape(), a), expand_dims(labels, a));
  const auto of_label = [&](const Tensor& x) { return sum(where(is_label, x, 0), {a}); };
  if (!options.from_logits) return negative(of_label(log_probabilities(logits, a)));
  const LogSoftmax p(logits, a);
  const Tensor is_class = logical_and(greater_equal(labels, 0), less(labels, logits.dim(a)));
  return subtract(where(is_class, p.log_total, 0), of_label(p.shifted));
}

Tensor binary_crossentropy(const Tensor& target, const Tensor& output,
                           BinaryCrossentropyOptions options) {
  require_same_shape("binary_crossentropy", target, output);
  const Tensor x = to_float("binary_crossentropy", output);
  const Tensor z = cast(target, x.dtype());
  // -z log sigmoid(x) - (1 - z) log sigmoid(-x), simplified.
  if (options.from_logits) return subtract(softplus(x), multiply(x, z));
  const Tensor p = clip_probabilities(x);
  return negative(add(multiply(z, log(p)), multiply(subtract(1.0, z), log(subtract(1.0, p)))));
}

Tensor psnr(const Tensor& x, const Tensor& y, double max_val) {
  require_same_shape("psnr", x, y);
  const Tensor error = mean(square(subtract(to_float("psnr", x), to_float("psnr", y))));
  return subtract(20 * std::log10(max_val), multiply(log10(error), 10));
}

}  // namespace antler::ops
