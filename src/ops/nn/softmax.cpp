#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "core/doubles.h"
#include "ops/nn/nn_ops.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_softmax(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  const int64_t axis = args.attrs.integer("axis");
  if (!is_floating(x.dtype)) {
    throw TypeError("ops::softmax: x must be floating point. Received: {}", spec_str(x));
  }
  if (axis < 0 || axis >= x.shape.rank()) {
    throw ValueError("ops::softmax: axis {} is out of range for an array of shape {}.", axis,
                     x.shape);
  }
  return {x};
}

/// x minus its maximum along the axis. Softmax is invariant to this shift, so it needs no gradient.
Tensor shifted(const Tensor& x, int64_t axis) {
  return subtract(x, stop_gradient(max(x, {axis}, {.keepdims = true})));
}

Tensors decompose_softmax(std::span<const Tensor> inputs, const ir::Attrs& attrs) {
  const int64_t axis = attrs.integer("axis");
  if (inputs[0].size() == 0) return {inputs[0]};  // there is no maximum
  const Tensor e = exp(shifted(inputs[0], axis));
  return {divide(e, sum(e, {axis}, {.keepdims = true}))};
}

Tensors decompose_log_softmax(std::span<const Tensor> inputs, const ir::Attrs& attrs) {
  const int64_t axis = attrs.integer("axis");
  if (inputs[0].size() == 0) return {inputs[0]};
  const Tensor s = shifted(inputs[0], axis);
  return {subtract(s, log(sum(exp(s), {axis}, {.keepdims = true})))};
}

Tensors vjp_softmax(const ir::VjpArgs& args) {
  const Tensor& y = args.outputs[0];
  const Tensor& dy = args.grads[0];
  const Tensor along = sum(multiply(dy, y), {args.attrs.integer("axis")}, {.keepdims = true});
  return {multiply(y, subtract(dy, along))};
}

Tensors vjp_log_softmax(const ir::VjpArgs& args) {
  const Tensor& dy = args.grads[0];
  const Tensor total = sum(dy, {args.attrs.integer("axis")}, {.keepdims = true});
  return {subtract(dy, multiply(exp(args.outputs[0]), total))};
}

/// Applies `finish(shifted element, sum of exponentials)` row by row.
template <class F>
void reference_rows(const ir::ReferenceArgs& args, F&& finish) {
  const Tensor& x = args.inputs[0];
  const auto axis = static_cast<size_t>(args.attrs.integer("axis"));
  const int64_t n = x.shape().dims()[axis];
  const int64_t stride = x.shape().strides()[axis];
  std::vector<double> values = x.to_doubles();
  for (int64_t first = 0; first < x.size(); ++first) {
    if (first / stride % n != 0) continue;  // not the start of a row
    const auto at = [&](int64_t i) -> double& {
      return values[static_cast<size_t>(first + i * stride)];
    };
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < n; ++i) largest = std::max(largest, at(i));
    double total = 0;
    for (int64_t i = 0; i < n; ++i) total += std::exp(at(i) - largest);
    for (int64_t i = 0; i < n; ++i) at(i) = finish(at(i) - largest, total);
  }
  store_doubles(args.outputs[0], values);
}

void reference_softmax(const ir::ReferenceArgs& args) {
  reference_rows(args, [](double s, double total) { return std::exp(s) / total; });
}

void reference_log_softmax(const ir::ReferenceArgs& args) {
  reference_rows(args, [](double s, double total) { return s - std::log(total); });
}

}  // namespace

const ir::OpDef kSoftmax = {.name = "softmax",
                            .infer = infer_softmax,
                            .vjp = vjp_softmax,
                            .decompose = decompose_softmax,
                            .reference = reference_softmax};
const ir::OpDef kLogSoftmax = {.name = "log_softmax",
                               .infer = infer_softmax,
                               .vjp = vjp_log_softmax,
                               .decompose = decompose_log_softmax,
                               .reference = reference_log_softmax};

Tensor softmax(const Tensor& x, int64_t axis) {
  const Tensor f = to_float("softmax", x);
  const int64_t a = normalize_axis_of("softmax", axis, f.rank());
  return ir::emit_one(kSoftmax, {f}, {{"axis", a}});
}

Tensor log_softmax(const Tensor& x, int64_t axis) {
  const Tensor f = to_float("log_softmax", x);
  const int64_t a = normalize_axis_of("log_softmax", axis, f.rank());
  return ir::emit_one(kLogSoftmax, {f}, {{"axis", a}});
}

}  // namespace antler::ops
