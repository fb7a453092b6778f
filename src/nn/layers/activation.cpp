#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/activations.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, ActivationOptions& o) {
  v.required("activation", o.activation);
}

Activation::Activation(const ActivationFunction& activation, ActivationOptions options)
    : Activation(by_position<&ActivationOptions::activation>("Activation", std::move(options),
                                                             activation)) {}

Activation::Activation(const ActivationOptions& options)
    : LayerBase("Activation", base_options(options)), options_(options) {
  set_supports_masking(true);
}

Tensor Activation::call(const Tensor& input, const CallOptions&) {
  return options_.activation(input);
}

Json Activation::get_config() const { return config_of(*this, options_); }

LayerPtr activation_from_config(const Json& config) {
  return Activation(options_from<ActivationOptions>(config, "Activation")).share();
}

}  // namespace antler
