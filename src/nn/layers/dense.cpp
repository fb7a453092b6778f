#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/classes.h"
#include "nn/layers/weight_fields.h"
#include "nn/quantization/layer_kernel.h"
#include "nn/quantization/quantization_fields.h"

namespace antler {

template <class V>
void fields(V& v, DenseOptions& o) {
  v.required("units", o.units);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v("kernel_regularizer", o.kernel_regularizer);
  v("bias_regularizer", o.bias_regularizer);
  v("kernel_constraint", o.kernel_constraint);
  v("bias_constraint", o.bias_constraint);
  v("quantization_config", o.quantization_config);
  v.when_given("lora_rank", o.lora_rank);
  v.when_given("lora_alpha", o.lora_alpha);
}

Dense::Dense(int64_t units, DenseOptions options)
    : Dense(by_position<&DenseOptions::units>("Dense", std::move(options), units)) {}

Dense::Dense() : Dense(DenseOptions{.units = 1, .name = kUnassigned}) { set_unassigned(); }
Dense::Dense(const DenseOptions& options) : LayerOf(options) {
  if (options_.units <= 0) {
    throw ValueError(
        "Received an invalid value for `units`, expected a positive integer. Received: units={}",
        options_.units);
  }
  set_input_spec({.min_ndim = 2});
  set_supports_masking(true);
}

void Dense::build(const Shape& input_shape) {
  const int64_t features = input_shape.back();
  if (features == Shape::kUnknown) {
    throw ValueError(
        "The last dimension of the inputs to a Dense layer should be defined. Found None. Full "
        "input shape received: {}",
        input_shape);
  }
  build_kernel(*kernel_, {.weight = kernel_weight(options_, {features, options_.units}),
                          .config = options_.quantization_config,
                          .inputs = features,
                          .outputs = options_.units});
  if (options_.use_bias) kernel_->set_bias(add_weight(bias_weight(options_, {options_.units})));
  set_input_spec({.min_ndim = 2, .axes = {{-1, features}}});
  add_lora(options_.lora_rank);  // Keras drops lora_alpha here, too
}

Tensor Dense::call(const Tensor& input, const CallOptions& options) {
  Tensor x = kernel_->product(input, compute_dtype(), options.training.value_or(false));
  if (options_.use_bias) x = x + kernel_->bias(compute_dtype());
  return options_.activation(x);
}

Json Dense::get_config() const { return config_of(*this, kernel_->described(options_)); }

LayerClasses dense_layers() { return layer_classes<Dense>(); }

}  // namespace antler
