#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/elementwise.h"
#include "nn/fields.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/list.h"
#include "nn/quantization/adaptable_kernel.h"
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

Dense::Dense(const DenseOptions& options)
    : LayerBase("Dense", base_options(options)),
      options_(options),
      weights_(std::make_shared<AdaptableKernel>()) {
  if (options_.units <= 0) {
    throw ValueError(
        "Received an invalid value for `units`, expected a positive integer. Received: units=" +
        std::to_string(options_.units));
  }
  set_input_spec({.min_ndim = 2});
  set_supports_masking(true);
}

void Dense::build(const Shape& input_shape) {
  const int64_t features = input_shape.back();
  if (features == Shape::kUnknown) {
    throw ValueError(
        "The last dimension of the inputs to a Dense layer should be defined. Found None. Full "
        "input shape received: " +
        input_shape.str());
  }
  const Shape kernel{features, options_.units};
  weights_->shape = kernel;
  weights_->layout = ScaleLayout::of_matrix(0);
  weights_->calibrated.inputs = features;
  weights_->calibrated.outputs = options_.units;
  const DTypePolicy& policy = dtype_policy();
  const auto add = [this](const WeightOptions& weight) { return add_weight(weight); };
  if (policy.quantization_mode == "float8") weights_->float8.add(add, policy.amax_history_length);
  if (keeps_kernel(policy)) {
    weights_->kernel = add_weight({.name = "kernel",
                                   .shape = kernel,
                                   .initializer = options_.kernel_initializer,
                                   .regularizer = options_.kernel_regularizer,
                                   .constraint = options_.kernel_constraint});
  } else {
    weights_->config = options_.quantization_config;
    weights_->add_quantized(add, policy);
  }
  if (options_.use_bias) {
    weights_->bias = add_weight({.name = "bias",
                                 .shape = {options_.units},
                                 .initializer = options_.bias_initializer,
                                 .regularizer = options_.bias_regularizer,
                                 .constraint = options_.bias_constraint});
  }
  set_input_spec({.min_ndim = 2, .axes = {{-1, features}}});
  // As Keras, which forgets the alpha here.
  if (options_.lora_rank.value_or(0) > 0) add_lora(*options_.lora_rank, {});
}

void Dense::enable_lora(int64_t rank, std::optional<double> lora_alpha) {
  weights_->check_lora(built(), options_.kernel_constraint.given(), "kernel_constraint");
  check_positive(rank, "rank");
  add_lora(rank, lora_alpha);
}

void Dense::add_lora(int64_t rank, std::optional<double> lora_alpha) {
  weights_->lora_a = add_weight({.name = "lora_kernel_a",
                                 .shape = {weights_->shape[0], rank},
                                 .initializer = "he_uniform",
                                 .dtype = DType::float32,
                                 .regularizer = options_.kernel_regularizer});
  weights_->lora_b = add_weight({.name = "lora_kernel_b",
                                 .shape = {rank, options_.units},
                                 .initializer = "zeros",
                                 .dtype = DType::float32,
                                 .regularizer = options_.kernel_regularizer});
  weights_->start_lora(rank, lora_alpha);
}

bool Dense::can_quantize(const std::string& mode) const {
  return mode == "int8" || mode == "int4" || mode == "float8" || mode == "gptq" || mode == "awq";
}

void Dense::quantize(const QuantizationConfig& config) {
  check_quantize(*this, config);
  weights_->quantize(
      config, [this](const WeightOptions& weight) { return add_weight(weight); },
      [this](const Variable& weight) { remove_weight(weight); });
  set_dtype_policy(quantized_policy(*this, config));
}

Tensor Dense::product(const Tensor& input, bool training) const {
  const DType dtype = compute_dtype();
  const AdaptableKernel& w = *weights_;
  if (w.inputs_seen != nullptr) w.inputs_seen->see(input);
  if (w.calibrated.defined()) return last_axis_product(input, w.calibrated.value(dtype));
  if (w.float8.defined()) {
    if (w.has_lora()) throw NotImplementedError("Layer '" + name() + "': float8 and LoRA.");
    return w.float8.product(input, value_of(w.kernel), training, last_axis_product);
  }
  if (!w.is_quantized()) return last_axis_product(input, w.value(dtype));
  Tensor x = w.zero_point.defined() ? last_axis_product(input, w.dequantized(dtype))
                                    : scaled_product(input, w.values(), value_of(w.scale),
                                                     w.inputs_quantizer(), AxisList(-1), dtype);
  if (!w.has_lora()) return x;
  const Tensor update =
      last_axis_product(last_axis_product(input, w.lora_a.value()), w.lora_b.value());
  return ops::cast(x + update * Tensor(w.lora_factor()), dtype);
}

Tensor Dense::call(const Tensor& input, const CallOptions& options) {
  Tensor x = product(input, options.training.value_or(false));
  if (options_.use_bias) {
    const Tensor bias = value_of(weights_->bias);
    x = x + (weights_->float8.defined() ? float8_bias(bias) : bias);
  }
  return options_.activation(x);
}

VariableStore Dense::save_own_variables() const {
  return built() ? weights_->save() : VariableStore();
}

void Dense::load_own_variables(const VariableStore& store) {
  if (built()) weights_->load(name(), store);
}

Json Dense::get_config() const {
  DenseOptions options = options_;
  weights_->describe_lora(options.lora_rank, options.lora_alpha);
  if (weights_->config) options.quantization_config = weights_->config;
  return config_of(*this, options);
}

LayerPtr dense_from_config(const Json& config) {
  return Dense(options_from<DenseOptions>(config, "Dense")).share();
}

}  // namespace antler
