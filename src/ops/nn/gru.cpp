#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/recurrent.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "ops/nn/recurrent.h"

namespace antler::ops {
namespace {

struct GruBias {
  Tensor input;      ///< [3 units], or undefined
  Tensor recurrent;  ///< [3 units], or undefined
};

GruBias split_bias(const Tensor& bias, int64_t units, bool reset_after) {
  if (!bias.defined()) return {};
  const Shape expected = reset_after ? Shape{2, 3 * units} : Shape{3 * units};
  if (!(bias.shape() == expected)) {
    throw ValueError(
        "ops::gru: `bias` must have shape {} with reset_after={}. Received: bias.shape={}",
        expected, reset_after, bias.shape());
  }
  if (!reset_after) return {bias, {}};
  const Tensors rows = unstack(bias, 0);
  return {rows[0], rows[1]};
}

}  // namespace

GruResult gru(const Tensor& x, const Tensor& h0, const Tensor& kernel, const Tensor& recurrent,
              const Tensor& bias, GruOptions options) {
  check_recurrent("gru", x, h0, kernel, recurrent, 3);
  const int64_t units = recurrent.dim(0);
  const GruBias biases = split_bias(bias, units, options.reset_after);
  const Tensor projected = project_inputs(x, kernel, biases.input);
  const Tensor gates_kernel = slice_axis(recurrent, 1, 0, 2 * units);
  const Tensor state_kernel = slice_axis(recurrent, 1, 2 * units, 3 * units);

  const ScanStep step = [&](const Tensors& carry, const Tensors& x_t) {
    const Tensor& h = carry[0];
    const Tensors from_x = split(x_t[0], 3, -1);  // z, r, h
    Tensor z;
    Tensor candidate;
    if (options.reset_after) {
      Tensor inner = matmul(h, recurrent);
      if (biases.recurrent.defined()) inner = add(inner, biases.recurrent);
      const Tensors from_h = split(inner, 3, -1);
      z = sigmoid(add(from_x[0], from_h[0]));
      const Tensor r = sigmoid(add(from_x[1], from_h[1]));
      candidate = tanh(add(from_x[2], multiply(r, from_h[2])));
    } else {
      const Tensors from_h = split(matmul(h, gates_kernel), 2, -1);
      z = sigmoid(add(from_x[0], from_h[0]));
      const Tensor r = sigmoid(add(from_x[1], from_h[1]));
      candidate = tanh(add(from_x[2], matmul(multiply(r, h), state_kernel)));
    }
    const Tensor next = add(multiply(z, h), multiply(subtract(1.0, z), candidate));
    return std::pair<Tensors, Tensors>({next}, {next});
  };
  const ScanResult result =
      scan(step, {cast(h0, projected.dtype())}, {projected}, {.reverse = options.reverse});
  return {swapaxes(result.ys[0], 0, 1), result.carry[0]};
}

}  // namespace antler::ops
