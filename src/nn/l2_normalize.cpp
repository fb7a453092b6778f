#include "nn/l2_normalize.h"

#include "antler/ops/elementwise.h"

namespace antler {

Tensor l2_normalize(const Tensor& x, const ops::Axes& axes, double epsilon) {
  const Tensor squares = ops::sum(ops::square(x), axes, true);
  return x * ops::minimum(ops::rsqrt(squares), Tensor(1 / epsilon));
}

}  // namespace antler
