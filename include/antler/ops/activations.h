#pragma once

#include <cstdint>

#include "antler/core/tensor.h"
#include "antler/ops/nn.h"

/// Activations of keras.ops.nn that are formulas of elementwise.h; nn.h has the others. Of floating
/// point numbers.
namespace antler::ops {

inline Tensor swish(const Tensor& x) { return silu(x); }
inline Tensor hard_swish(const Tensor& x) { return hard_silu(x); }
/// x, limited to [-1, 1].
Tensor hard_tanh(const Tensor& x);
/// 0 for |x| <= threshold.
Tensor hard_shrink(const Tensor& x, double threshold = 0.5);
/// x moved towards 0 by `threshold`, but not across it.
Tensor soft_shrink(const Tensor& x, double threshold = 0.5);
/// x - tanh(x).
Tensor tanh_shrink(const Tensor& x);
/// (x + sqrt(x^2 + b)) / 2.
Tensor squareplus(const Tensor& x, double b = 4);
/// 0 up to -1, (x + 1)^2 / 4, x from 1 on.
Tensor sparse_plus(const Tensor& x);
/// (x + 1) / 2, limited to [0, 1].
Tensor sparse_sigmoid(const Tensor& x);
/// After the projection on the probability simplex (Martins and Astudillo 2016), with Keras's
/// threshold, which is another where more than one element stays positive.
Tensor sparsemax(const Tensor& x, int64_t axis = -1);
/// Halves `axis`: a * sigmoid(b). Throws ValueError for an odd size.
Tensor glu(const Tensor& x, int64_t axis = -1);
/// x above `threshold`, else `default_value`.
Tensor threshold(const Tensor& x, double threshold, double default_value);

}  // namespace antler::ops
