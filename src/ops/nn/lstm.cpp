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

LstmResult lstm(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& kernel,
                const Tensor& recurrent, const Tensor& bias, LstmOptions options) {
  check_recurrent("lstm", x, h0, kernel, recurrent, 4);
  const Tensor projected = project_inputs(x, kernel, bias);
  const ScanStep step = [&](const Tensors& carry, const Tensors& x_t) {
    const Tensors z = split(add(x_t[0], matmul(carry[0], recurrent)), 4, -1);
    const Tensor input = sigmoid(z[0]);
    const Tensor forget = sigmoid(z[1]);
    const Tensor c = add(multiply(forget, carry[1]), multiply(input, tanh(z[2])));
    const Tensor h = multiply(sigmoid(z[3]), tanh(c));
    return std::pair<Tensors, Tensors>({h, c}, {h});
  };
  const ScanResult result = scan(step, {cast(h0, projected.dtype()), cast(c0, projected.dtype())},
                                 {projected}, {.reverse = options.reverse});
  return {swapaxes(result.ys[0], 0, 1), result.carry[0], result.carry[1]};
}

}  // namespace antler::ops
