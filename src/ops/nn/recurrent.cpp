#include "ops/nn/recurrent.h"

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "ops/support.h"

namespace antler::ops {

void check_recurrent(const char* op, const Tensor& x, const Tensor& h0, const Tensor& kernel,
                     const Tensor& recurrent, int64_t gates) {
  for (const Tensor* t : {&x, &h0, &kernel, &recurrent}) require_defined(op, *t);
  bool fits = x.rank() == 3 && h0.rank() == 2 && kernel.rank() == 2 && recurrent.rank() == 2;
  if (fits) {
    const int64_t units = recurrent.dim(0);
    fits = kernel.dim(0) == x.dim(2) && kernel.dim(1) == gates * units &&
           recurrent.dim(1) == gates * units && h0.shape() == Shape{x.dim(0), units};
  }
  if (fits) return;
  throw ValueError(
      "ops::{}: expected x [n, t, features], state [n, units], kernel [features, {} * units], "
      "recurrent [units, {} * units]. Received: x.shape={}, state.shape={}, kernel.shape={}, "
      "recurrent.shape={}",
      op, gates, gates, x.shape(), h0.shape(), kernel.shape(), recurrent.shape());
}

Tensor project_inputs(const Tensor& x, const Tensor& kernel, const Tensor& bias) {
  const Tensor projected = tensordot(swapaxes(x, 0, 1), kernel, 1);
  return bias.defined() ? add(projected, bias) : projected;
}

}  // namespace antler::ops
