#pragma once

#include <utility>

#include "antler/core/tensor.h"

/// Clipping of gradients in training loops of one's own, as in TensorFlow. Optimizers do the same
/// with the options `clipnorm` and `global_clipnorm`. Undefined tensors are ignored and stay so.
namespace antler::tf {

/// The square root of the sum of the squares of all elements of all tensors: a scalar.
Tensor global_norm(const Tensors& tensors);
/// Scales a tensor down if its norm is larger than `clip_norm`.
Tensor clip_by_norm(const Tensor& tensor, double clip_norm);
/// Scales all tensors by one factor, so that their global norm is at most `clip_norm`. Returns them
/// and their norm before. If the norm is not finite, all elements become NaN.
std::pair<Tensors, Tensor> clip_by_global_norm(const Tensors& tensors, double clip_norm);

}  // namespace antler::tf
