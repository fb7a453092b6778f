#include "nn/l2_normalize.h"

#include "antler/ops/elementwise.h"

namespace antler {

Tensor l2_normalize(const Tensor& x, const ops::Axes& axes, double epsilon) {
  const Tensor squares = ops::sum(ops::square(x), axes, true);
  // The root is taken of positive numbers only, so that the gradient at zero is none and not NaN.
  const Tensor positive = ops::greater(squares, 0);
  const Tensor inverse = ops::rsqrt(ops::where(positive, squares, 1));
  return x * ops::minimum(ops::where(positive, inverse, 1 / epsilon), Tensor(1 / epsilon));
}

}  // namespace antler
