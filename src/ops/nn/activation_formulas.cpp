
#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"

namespace antler::ops {

Tensor hard_tanh(const Tensor& x) { return clip(x, -1.0, 1.0); }

Tensor hard_shrink(const Tensor& x, double threshold) {
  return where(absolute(x) > threshold, x, 0.0);
}

Tensor soft_shrink(const Tensor& x, double threshold) {
  return where(x > threshold, x - threshold, where(x < -threshold, x + threshold, 0.0));
}

Tensor tanh_shrink(const Tensor& x) { return x - tanh(x); }

Tensor squareplus(const Tensor& x, double b) { return (x + sqrt(square(x) + b)) * 0.5; }

Tensor sparse_plus(const Tensor& x) {
  const Tensor middle = square(x + 1.0) * 0.25;
  return where(x <= -1.0, 0.0, where(x >= 1.0, x, middle));
}

Tensor sparse_sigmoid(const Tensor& x) { return clip((x + 1.0) * 0.5, 0.0, 1.0); }

Tensor sparsemax(const Tensor& x, int64_t axis) {
  const int at = normalize_axis(axis, x.rank(), "ops::sparsemax: axis");
  const Tensor sorted = sort(x, at, {.descending = true});
  const Tensor total = cumsum(sorted, at);
  Shape ranks_shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  ranks_shape[at] = x.shape()[at];
  const Tensor ranks = reshape(arange(1, x.shape()[at] + 1, 1, {.dtype = x.dtype()}), ranks_shape);
  const Tensor support = sorted * ranks > total - 1.0;
  const Tensor count = sum(cast(support, x.dtype()), {at}, {.keepdims = true});
  // Keras sums the cumulative sums; the paper takes the last of them.
  const Tensor all = sum(where(support, total, 0.0), {at}, {.keepdims = true});
  return relu(x - (all - 1.0) / count);
}

Tensor glu(const Tensor& x, int64_t axis) {
  if (x.dim(static_cast<int>(axis)) % 2 != 0) {
    throw ValueError("ops::glu: the size of axis {} must be even. Received: x.shape={}", axis,
                     x.shape());
  }
  const Tensors halves = split(x, 2, axis);
  return halves[0] * sigmoid(halves[1]);
}

Tensor threshold(const Tensor& x, double threshold, double default_value) {
  return where(x > threshold, x, default_value);
}

}  // namespace antler::ops
