#include <cmath>
#include <numbers>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "core/doubles.h"
#include "ops/nn/nn_ops.h"
#include "ops/support.h"

// Branches use where() instead of maximum(): the gradient at the corner is that of one side (0 for
// relu), and a branch that is not taken cannot produce NaN.
namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_softplus(const ir::InferArgs& args) {
  if (!is_floating(args.inputs[0].dtype)) {
    throw TypeError("ops::softplus: x must be floating point. Received: {}",
                    spec_str(args.inputs[0]));
  }
  return {args.inputs[0]};
}

/// log(1 + exp(x)) without overflow of exp().
Tensors decompose_softplus(std::span<const Tensor> inputs, const ir::Attrs&) {
  const Tensor& x = inputs[0];
  return {add(relu(x), log1p(exp(negative(absolute(x)))))};
}

void reference_softplus(const ir::ReferenceArgs& args) {
  std::vector<double> values = args.inputs[0].to_doubles();
  for (double& v : values) v = (v > 0 ? v : 0) + std::log1p(std::exp(-std::abs(v)));
  store_doubles(args.outputs[0], values);
}

Tensors vjp_softplus(const ir::VjpArgs& args) {
  return {multiply(args.grads[0], sigmoid(args.inputs[0]))};
}

}  // namespace

const ir::OpDef kSoftplus = {.name = "softplus",
                             .infer = infer_softplus,
                             .vjp = vjp_softplus,
                             .decompose = decompose_softplus,
                             .reference = reference_softplus};

// NaN is neither below nor above a limit, so it is kept, and a diverged model is noticed.
Tensor relu(const Tensor& x) { return where(less_equal(x, 0), 0, x); }

Tensor relu6(const Tensor& x) {
  return where(less_equal(x, 0), 0, where(greater_equal(x, 6), 6, x));
}

Tensor leaky_relu(const Tensor& x, double negative_slope) {
  return where(greater_equal(x, 0), x, multiply(x, negative_slope));
}

Tensor elu(const Tensor& x, double alpha) {
  const Tensor f = to_float("elu", x);
  const Tensor positive = greater(f, 0);
  return where(positive, f, multiply(expm1(where(positive, 0, f)), alpha));
}

Tensor selu(const Tensor& x) {
  // Klambauer et al., "Self-Normalizing Neural Networks", 2017.
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  return multiply(elu(x, kAlpha), kScale);
}

Tensor celu(const Tensor& x, double alpha) {
  const Tensor f = to_float("celu", x);
  const Tensor positive = greater(f, 0);
  return where(positive, f, multiply(expm1(divide(where(positive, 0, f), alpha)), alpha));
}

Tensor silu(const Tensor& x) {
  const Tensor f = to_float("silu", x);
  return multiply(f, sigmoid(f));
}

Tensor gelu(const Tensor& x, GeluOptions options) {
  const Tensor f = to_float("gelu", x);
  if (options.approximate) {
    // Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
    const Tensor cubic = add(f, multiply(multiply(multiply(f, f), f), 0.044715));
    const double scale = std::sqrt(2.0 / std::numbers::pi);
    return multiply(f, multiply(add(tanh(multiply(cubic, scale)), 1.0), 0.5));
  }
  return multiply(multiply(f, 0.5), add(erf(multiply(f, std::sqrt(0.5))), 1.0));
}

Tensor softplus(const Tensor& x) { return ir::emit_one(kSoftplus, {to_float("softplus", x)}); }

Tensor softsign(const Tensor& x) {
  const Tensor f = to_float("softsign", x);
  return divide(f, add(absolute(f), 1.0));
}

Tensor log_sigmoid(const Tensor& x) {
  return negative(softplus(negative(to_float("log_sigmoid", x))));
}

Tensor hard_sigmoid(const Tensor& x) {
  return divide(relu6(add(to_float("hard_sigmoid", x), 3.0)), 6.0);
}

Tensor hard_silu(const Tensor& x) {
  const Tensor f = to_float("hard_silu", x);
  return multiply(f, hard_sigmoid(f));
}

Tensor mish(const Tensor& x) {
  const Tensor f = to_float("mish", x);
  return multiply(f, tanh(softplus(f)));
}

}  // namespace antler::ops
