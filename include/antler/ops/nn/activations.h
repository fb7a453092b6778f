#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

/// Activations of keras.ops.nn, for floats.
namespace antler::ops {

/// Options of gelu().
struct GeluOptions {
  bool approximate = true;  ///< by tanh instead of erf
};

Tensor relu(const Tensor& x);   ///< max(x, 0); NaN stays NaN
Tensor relu6(const Tensor& x);  ///< min(max(x, 0), 6)
/// x where x > 0, else negative_slope x.
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);
Tensor elu(const Tensor& x, double alpha = 1.0);  ///< x where x > 0, else alpha (e^x - 1)
Tensor selu(const Tensor& x);                     ///< 1.0507 elu(x, 1.6733)
/// Max(x, 0) + min(0, alpha (e^(x / alpha) - 1)).
Tensor celu(const Tensor& x, double alpha = 1.0);
Tensor sigmoid(const Tensor& x);                                    ///< 1 / (1 + e^-x)
Tensor silu(const Tensor& x);                                       ///< x sigmoid(x)
inline Tensor swish(const Tensor& x) { return silu(x); }            ///< silu()
Tensor gelu(const Tensor& x, GeluOptions options = {});             ///< x P(X <= x) for a normal X
Tensor softplus(const Tensor& x);                                   ///< log(1 + e^x)
Tensor softsign(const Tensor& x);                                   ///< x / (1 + |x|)
Tensor log_sigmoid(const Tensor& x);                                ///< log(sigmoid(x))
Tensor hard_sigmoid(const Tensor& x);                               ///< clip(x / 6 + 1 / 2, 0, 1)
Tensor hard_silu(const Tensor& x);                                  ///< x hard_sigmoid(x)
inline Tensor hard_swish(const Tensor& x) { return hard_silu(x); }  ///< hard_silu()
Tensor mish(const Tensor& x);                                       ///< x tanh(softplus(x))
Tensor softmax(const Tensor& x, int64_t axis = -1);      ///< e^x / sum(e^x) along the axis
Tensor log_softmax(const Tensor& x, int64_t axis = -1);  ///< log(softmax(x))

/// clip(x, -1, 1).
Tensor hard_tanh(const Tensor& x);
/// 0 for |x| <= threshold, else x.
Tensor hard_shrink(const Tensor& x, double threshold = 0.5);
/// Moves x towards 0 by `threshold`, but not past it.
Tensor soft_shrink(const Tensor& x, double threshold = 0.5);
/// x - tanh(x).
Tensor tanh_shrink(const Tensor& x);
/// (x + sqrt(x^2 + b)) / 2.
Tensor squareplus(const Tensor& x, double b = 4);
/// 0 for x <= -1, x for x >= 1, else (x + 1)^2 / 4.
Tensor sparse_plus(const Tensor& x);
/// clip((x + 1) / 2, 0, 1).
Tensor sparse_sigmoid(const Tensor& x);
/// Projection onto the probability simplex (Martins and Astudillo 2016), but with Keras's
/// threshold, which differs from the paper's if more than one element stays positive.
Tensor sparsemax(const Tensor& x, int64_t axis = -1);
/// Splits `axis` into halves a and b: a * sigmoid(b). Throws ValueError for an odd size.
Tensor glu(const Tensor& x, int64_t axis = -1);
/// x where x > threshold, else `default_value`.
Tensor threshold(const Tensor& x, double threshold, double default_value);

}  // namespace antler::ops
