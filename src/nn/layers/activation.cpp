#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/activations.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, ActivationOptions& o) {
  v.required("activation", o.activation);
}

Activation::Activation(const ActivationFunction& activation, ActivationOptions options)
    : Activation(by_position<&ActivationOptions::activation>("Activation", std::move(options),
                                                             activation)) {}

Activation::Activation(const ActivationOptions& options) : LayerOf(options) {
  set_supports_masking(true);
}

Tensor Activation::call(const Tensor& input, const CallOptions&) {
  return options_.activation(input);
}

LayerClasses activation_layers() { return layer_classes<Activation>(); }

}  // namespace antler
