#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

Tensors clip_by_norm(const Tensors& gradients, double norm) {
  Tensors clipped;
  for (const Tensor& g : gradients) {
    const Tensor length = ops::sqrt(ops::sum(ops::square(g)));
    clipped.push_back(g * (norm / ops::maximum(length, norm)));
  }
  return clipped;
}

Tensors clip_by_global_norm(const Tensors& gradients, double norm) {
  Tensor squares;
  for (const Tensor& g : gradients) {
    const Tensor square = ops::sum(ops::square(g));
    squares = squares.defined() ? squares + square : square;
  }
  const Tensor length = ops::sqrt(squares);
  // length - length is 0, or NaN if the length is not finite, so that such an update is noticed.
  const Tensor scale = norm * ops::minimum(1.0 / length, 1.0 / norm) + (length - length);
  Tensors clipped;
  for (const Tensor& g : gradients) clipped.push_back(g * ops::cast(scale, g.dtype()));
  return clipped;
}

Tensors clip_by_value(const Tensors& gradients, double limit) {
  Tensors clipped;
  for (const Tensor& g : gradients) clipped.push_back(ops::clip(g, -limit, limit));
  return clipped;
}

}  // namespace antler::optimizers
