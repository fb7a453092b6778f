#pragma once

#include "antler/nn/activation.h"

/// Keras's activations as functions. Those that are primitives are also in ops, with the defaults
/// of keras.ops. activation.h has the others.
namespace antler::activations {

struct GeluOptions {
  bool approximate = false;  ///< by tanh instead of erf
};

Tensor relu6(const Tensor& x);
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);
Tensor elu(const Tensor& x, double alpha = 1);
Tensor selu(const Tensor& x);
Tensor celu(const Tensor& x, double alpha = 1);
Tensor gelu(const Tensor& x, GeluOptions options = {});
Tensor silu(const Tensor& x);
Tensor swish(const Tensor& x);  ///< silu
Tensor mish(const Tensor& x);
/// The result carries its logits, which cross-entropies use.
Tensor sigmoid(const Tensor& x);
Tensor hard_sigmoid(const Tensor& x);
Tensor hard_silu(const Tensor& x);
Tensor hard_swish(const Tensor& x);  ///< hard_silu
Tensor log_sigmoid(const Tensor& x);
Tensor log_softmax(const Tensor& x, int64_t axis = -1);
Tensor tanh(const Tensor& x);
Tensor softplus(const Tensor& x);
Tensor softsign(const Tensor& x);

/// The form that Keras writes: a name, or the configuration of a layer that serves as the function.
/// And back, from a name, {"config": name}, a layer, or null for linear. Throws ValueError.
Json serialize(const ActivationFunction& activation);
ActivationFunction deserialize(const Json& json);

}  // namespace antler::activations
