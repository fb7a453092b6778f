#pragma once

#include <cstdint>
#include <optional>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/activation.h"
#include "antler/ops/by_name.h"

/// Keras's activations as functions; activation.h has more of them. Activations that are primitive
/// ops are also in ops, with the defaults of keras.ops.
namespace antler::activations {

/// Options of gelu().
struct GeluOptions {
  bool approximate = false;  ///< by tanh instead of erf
};

Tensor relu6(const Tensor& x);  ///< min(max(x, 0), 6)
/// x where x > 0, else negative_slope x.
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);
Tensor elu(const Tensor& x, double alpha = 1);   ///< x where x > 0, else alpha (e^x - 1)
Tensor selu(const Tensor& x);                    ///< 1.0507 elu(x, 1.6733)
Tensor celu(const Tensor& x, double alpha = 1);  ///< max(x, 0) + min(0, alpha (e^(x / alpha) - 1))
Tensor gelu(const Tensor& x, GeluOptions options = {});  ///< x P(X <= x) for a normal X
Tensor silu(const Tensor& x);                            ///< x sigmoid(x)
Tensor swish(const Tensor& x);                           ///< silu
Tensor mish(const Tensor& x);                            ///< x tanh(softplus(x))
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

// Arguments by name: `relu(x, {.max_value = 6})`.
using ops::glu;
using ops::hard_shrink;
using ops::soft_shrink;
using ops::sparsemax;
using ops::squareplus;
inline Tensor softmax(const Tensor& x, const ops::AxisArgument& by_name) {
  return softmax(x, by_name.axis);
}
inline Tensor log_softmax(const Tensor& x, const ops::AxisArgument& by_name) {
  return log_softmax(x, by_name.axis);
}
inline Tensor leaky_relu(const Tensor& x, const ops::LeakyReluArgument& by_name) {
  return leaky_relu(x, by_name.negative_slope);
}
inline Tensor elu(const Tensor& x, const ops::EluArgument& by_name) {
  return elu(x, by_name.alpha);
}
inline Tensor celu(const Tensor& x, const ops::EluArgument& by_name) {
  return celu(x, by_name.alpha);
}
/// The arguments of relu() by name.
struct ReluArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  double negative_slope = 0;             ///< below the threshold
  std::optional<double> max_value = {};  ///< default: no limit
  double threshold = 0;                  ///< smaller numbers count as negative
};
inline Tensor relu(const Tensor& x, const ReluArguments& by_name) {
  return relu(x, by_name.negative_slope, by_name.max_value.value_or(-1), by_name.threshold);
}
ANTLER_KEYWORD_FUNCTION(relu, ReluArguments, const Tensor&)

/// Converts to Keras's form: a name, or the configuration of a layer that is used as the function.
/// deserialize() takes a name, {"config": name}, a layer, or null for linear. Throws ValueError.
Json serialize(const ActivationFunction& activation);
ActivationFunction deserialize(const Json& json);

}  // namespace antler::activations
