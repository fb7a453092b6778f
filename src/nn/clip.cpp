#include "antler/nn/clip.h"

#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"

namespace antler::tf {

Tensor global_norm(const Tensors& tensors) {
  Tensor squares;
  for (const Tensor& t : tensors) {
    if (!t.defined()) continue;
    const Tensor square = ops::sum(ops::square(t));
    squares = squares.defined() ? squares + square : square;
  }
  return squares.defined() ? ops::sqrt(squares) : Tensor(0.0F);
}

Tensor clip_by_norm(const Tensor& tensor, double clip_norm) {
  if (!tensor.defined()) return tensor;
  return tensor * (clip_norm / ops::maximum(global_norm({tensor}), clip_norm));
}

std::pair<Tensors, Tensor> clip_by_global_norm(const Tensors& tensors, double clip_norm) {
  const Tensor norm = global_norm(tensors);
  // norm - norm is 0, or NaN if the norm is not finite, so that such an update is noticed.
  const Tensor scale = clip_norm * ops::minimum(1.0 / norm, 1.0 / clip_norm) + (norm - norm);
  Tensors clipped;
  for (const Tensor& t : tensors)
    clipped.push_back(t.defined() ? t * ops::cast(scale, t.dtype()) : t);
  return {clipped, norm};
}

}  // namespace antler::tf
