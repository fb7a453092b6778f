#include <utility>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/shape.h"
#include "nn/fields.h"
#include "nn/layers/adaptable_kernel.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, DenseOptions& o) {
  v("units", o.units);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v("kernel_regularizer", o.kernel_regularizer);
  v("bias_regularizer", o.bias_regularizer);
  v("kernel_constraint", o.kernel_constraint);
  v("bias_constraint", o.bias_constraint);
  v.constant("quantization_config", nullptr);
  v.when_given("lora_rank", o.lora_rank);
  v.when_given("lora_alpha", o.lora_alpha);
}

namespace {

/// x [..., in] times [in, out]; products of int8 are summed in int32.
Tensor last_axis_product(const Tensor& x, const Tensor& matrix) {
  if (x.rank() == 2) return ops::matmul(x, matrix);
  if (x.dtype() == DType::int8) {
    return last_axis_product(ops::cast(x, DType::int32), ops::cast(matrix, DType::int32));
  }
  return ops::dot_general(x, matrix, {.lhs_contract = {x.rank() - 1}, .rhs_contract = {0}});
}

}  // namespace

Dense::Dense(int64_t units, DenseOptions options)
    : Dense((options.units = units, std::as_const(options))) {}

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
  if (dtype_policy().quantization_mode.empty()) {
    weights_->kernel = add_weight({.name = "kernel",
                                   .shape = kernel,
                                   .initializer = options_.kernel_initializer,
                                   .regularizer = options_.kernel_regularizer,
                                   .constraint = options_.kernel_constraint});
  } else {
    add_quantized(kernel);
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
                                 .shape = {weights_->kernel.shape()[0], rank},
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

void Dense::add_quantized(const Shape& kernel) {
  weights_->kernel = add_weight({.name = "kernel",
                                 .shape = kernel,
                                 .initializer = "zeros",
                                 .dtype = DType::int8,
                                 .trainable = false});
  weights_->scale = add_weight(
      {.name = "kernel_scale", .shape = {kernel[1]}, .initializer = "ones", .trainable = false});
  weights_->scale_axes = {0};
}

void Dense::quantize(const std::string& mode) {
  check_quantize(*this, mode);
  const ir::TraceSuspension suspension;
  const Variable old = weights_->kernel;
  const Quantized values = quantize_abs_max(old.stored(), {0});
  remove_weight(old);
  add_quantized(old.shape());
  weights_->kernel.store(values.values);
  weights_->scale.store(
      ops::cast(ops::reshape(values.scale, weights_->scale.shape()), weights_->scale.dtype()));
  set_dtype_policy(DTypePolicy::parse("int8_from_" + dtype_policy().name));
}

Tensor Dense::quantized_product(const Tensor& input) const {
  const DType dtype = compute_dtype();
  const Tensor kernel = weights_->kernel.value();
  const Tensor scale = ops::cast(weights_->scale.value(), dtype);
  // The gradient is that of the product with the float kernel.
  return custom_gradient(
      [=](const Tensors& x) -> Tensors {
        const Quantized q = quantize_abs_max(x[0], {-1});
        return {ops::cast(last_axis_product(q.values, kernel), dtype) / (scale * q.scale)};
      },
      [=](const Tensors&, const Tensors&, const Tensors& gradients) -> Tensors {
        const Tensor matrix = ops::transpose(ops::cast(kernel, dtype) / scale);
        return {last_axis_product(gradients[0], matrix)};
      },
      {input})[0];
}

Tensor Dense::call(const Tensor& input, const CallOptions&) {
  Tensor x;
  if (weights_->is_quantized()) {
    x = quantized_product(input);
    if (weights_->has_lora()) {
      const Tensor update = last_axis_product(last_axis_product(input, weights_->lora_a.value()),
                                              weights_->lora_b.value());
      x = ops::cast(x + update * Tensor(weights_->lora_factor()), compute_dtype());
    }
  } else {
    x = last_axis_product(input, weights_->value(compute_dtype()));
  }
  if (options_.use_bias) x = x + value_of(weights_->bias);
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
  return config_of(*this, options);
}

LayerPtr dense_from_config(const Json& config) {
  return Dense(options_from<DenseOptions>(config, "Dense")).share();
}

}  // namespace antler
