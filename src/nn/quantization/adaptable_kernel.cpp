#include "nn/quantization/adaptable_kernel.h"

#include <algorithm>
#include <utility>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/quantizable.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/shape.h"

namespace antler {
namespace {

void set_checked(const std::string& layer, const Variable& variable, const Tensor& value) {
  if (!value.defined() || !(value.shape() == variable.shape())) {
    throw ValueError("Layer " + layer + " weight shape " + variable.shape().str() +
                     " is not compatible with provided weight shape " +
                     (value.defined() ? value.shape().str() : std::string("None")) + ".");
  }
  variable.store(value.dtype() == variable.dtype() ? value : ops::cast(value, variable.dtype()));
}

/// x [..., in] times [in, out], both int8. Products of floats are the fast ones; they are exact for
/// as many terms as float32 can hold the sum of.
Tensor exact_product(const Tensor& x, const Tensor& matrix) {
  const Tensor left = ops::cast(x, DType::float32);
  const Tensor right = ops::cast(matrix, DType::float32);
  const int64_t terms = matrix.shape()[0];
  if (terms <= kExactTerms) return last_axis_product(left, right);
  Tensor sum;
  for (int64_t from = 0; from < terms; from += kExactTerms) {
    const int64_t to = std::min(from + kExactTerms, terms);
    const Tensor part = ops::cast(
        last_axis_product(ops::slice_axis(left, -1, from, to), ops::slice_axis(right, 0, from, to)),
        DType::int32);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

}  // namespace

Tensor AdaptableKernel::lora_value() const {
  return ops::tensordot(lora_a.value(), lora_b.value(), 1) * Tensor(lora_factor());
}

Tensor AdaptableKernel::value(DType dtype) const {
  const Tensor own = kernel.value();
  if (!has_lora()) return own.dtype() == dtype ? own : ops::cast(own, dtype);
  return ops::cast(ops::cast(own, lora_a.dtype()) + lora_value(), dtype);
}

void AdaptableKernel::start_lora(int64_t rank, std::optional<double> alpha) {
  lora_rank = rank;
  lora_alpha = alpha.value_or(static_cast<double>(rank));
  kernel.set_trainable(false);
}

void AdaptableKernel::check_lora(bool built, bool constrained, const char* constraint) const {
  if (constrained) {
    throw ValueError(
        "Lora is incompatible with kernel constraints. In order to enable lora on this layer, "
        "remove the `" +
        std::string(constraint) + "` argument.");
  }
  if (!built) throw ValueError("Cannot enable lora on a layer that isn't yet built.");
  if (calibrated.defined()) {
    throw NotImplementedError("lora is not currently supported with " +
                              std::string(calibrated.input_scale.defined() ? "AWQ" : "GPTQ") +
                              " quantization.");
  }
  if (has_lora()) {
    throw ValueError("lora is already enabled. This can only be done once per layer.");
  }
}

void AdaptableKernel::describe_lora(std::optional<int64_t>& rank,
                                    std::optional<double>& alpha) const {
  if (has_lora()) {
    rank = lora_rank;
    alpha = lora_alpha;
  } else if (!rank || *rank == 0) {
    rank.reset();
    alpha.reset();
  } else if (!alpha) {
    alpha = static_cast<double>(*rank);
  }
}

void AdaptableKernel::add_quantized(const AddWeight& add, const std::string& mode,
                                    std::optional<int64_t> block_size) {
  const bool is_int8 = mode == "int8";
  if (is_int8) {
    int4.shape = {};
  } else {
    int4.block_size = block_size.value_or(-1) == -1 ? std::optional<int64_t>() : block_size;
    if (int4.shape.rank() == 0) int4.shape = shape;
  }
  kernel = add({.name = name,
                .shape = is_int8 ? shape : int4.packed_shape(),
                .initializer = "zeros",
                .dtype = DType::int8,
                .trainable = false});
  Shape kept = shape;
  for (const int64_t axis : layout.reduced) kept[static_cast<int>(axis)] = 1;
  const Shape scales = is_int8 ? layout.apply(ops::ones(kept)).shape() : int4.scale_shape();
  scale =
      add({.name = name + "_scale", .shape = scales, .initializer = "ones", .trainable = false});
  if (is_int8 || !int4.block_size) return;
  zero_point =
      add({.name = name + "_zero",
           .shape = scales,
           .initializer = "zeros",
           .dtype = owns_groups ? std::optional<DType>(DType::int8) : std::optional<DType>(),
           .trainable = false});
  if (!owns_groups) return;
  group_index = add({.name = "g_idx",
                     .shape = {int4.shape[int4.contracted]},
                     .initializer = "zeros",
                     .dtype = DType::float32,
                     .trainable = false});
  group_index.store(antler::group_index(int4));
}

void AdaptableKernel::add_quantized(const AddWeight& add, const DTypePolicy& policy) {
  if (policy.weight_bits == 0) {
    return add_quantized(add, policy.quantization_mode, block_size_of(policy, config));
  }
  calibrated.add(add, {.name = policy.quantization_mode,
                       .weight_bits = policy.weight_bits,
                       .group_size = policy.group_size});
}

AdaptableKernel::Parts AdaptableKernel::quantized(
    const Tensor& value, const std::string& mode,
    const std::optional<AbsMaxQuantizer>& quantizer) const {
  if (mode == "int8") {
    const AxisList axes(layout.reduced);
    const Quantized result =
        quantizer ? (*quantizer)(value) : quantizers::abs_max_quantize(value, axes);
    Shape kept = value.shape();
    for (const int64_t axis : layout.reduced) kept[static_cast<int>(axis)] = 1;
    if (!(result.scale.shape() == kept)) {
      throw ValueError("The weight_quantizer gives scales of shape " + result.scale.shape().str() +
                       " where this layer needs " + kept.str() + ".");
    }
    return {result.values, layout.apply(result.scale), {}};
  }
  Int4Form form = int4;
  if (form.shape.rank() == 0) form.shape = shape;
  const Int4Matrix result = quantize_int4(ops::reshape(value, form.shape), form, quantizer);
  return {result.packed, result.scale, result.zero_point};
}

void AdaptableKernel::quantize(const QuantizationConfig& how, const AddWeight& add,
                               const RemoveWeight& remove) {
  const ir::TraceSuspension suspension;
  config = how;
  if (how.mode == "float8") {
    float8.add(add, DTypePolicy().amax_history_length);
    return;
  }
  const Variable old = kernel;
  if (how.needs_inputs()) {
    const CalibratedMatrix matrix = calibrated_matrix(how);
    remove(old);
    kernel = Variable();
    calibrated.add(add, QuantizationMode::parse(how.policy_mode()));
    calibrated.store(matrix);
    return;
  }
  int4.block_size = how.grouped() ? how.block_size : std::optional<int64_t>();
  const Parts parts = quantized(old.stored(), how.mode, how.weight_quantizer);
  remove(old);
  add_quantized(add, how.mode, how.block_size);
  kernel.store(parts.kernel);
  scale.store(ops::cast(parts.scale, scale.dtype()));
  if (zero_point.defined()) zero_point.store(ops::cast(parts.zero_point, zero_point.dtype()));
}

CalibratedMatrix AdaptableKernel::calibrated_matrix(const QuantizationConfig& how) const {
  const Tensor value = ops::cast(kernel.stored(), DType::float32);
  const Tensor matrix =
      ops::transpose(ops::reshape(value, {calibrated.inputs, calibrated.outputs}));
  const bool seen = inputs_seen != nullptr;
  if (how.gptq != nullptr) {
    return gptq_quantize(matrix, seen ? inputs_seen->second_moments() : Tensor(), *how.gptq);
  }
  return awq_quantize(matrix, seen ? inputs_seen->magnitudes() : Tensor(), *how.awq);
}

Tensor AdaptableKernel::values() const {
  return is_int4() ? unpack(kernel.value(), int4) : kernel.value();
}

Tensor AdaptableKernel::dequantized(DType dtype) const {
  const Tensor factor = ops::cast(scale.value(), dtype);
  if (!is_int4()) return ops::cast(kernel.value(), dtype) / layout.undo(factor);
  const bool grouped = zero_point.defined();
  const Tensor matrix =
      dequantize_int4(values(), factor, grouped ? zero_point.value() : Tensor(),
                      grouped ? group_index.value() : Tensor(), int4.contracted, dtype);
  return ops::reshape(matrix, shape);
}

Tensor AdaptableKernel::rows(const Tensor& indices, DType dtype) const {
  if (!is_quantized()) return ops::take(value(dtype), indices, 0);
  const auto taken = [&](const Variable& v) {
    return v.defined() ? ops::take(v.value(), indices, 0) : Tensor();
  };
  const Tensor stored = taken(kernel);
  Tensor x = dequantize_int4(is_int4() ? unpack(stored, int4) : stored,
                             ops::cast(taken(scale), dtype), taken(zero_point),
                             group_index.defined() ? group_index.value() : Tensor(), 1, dtype);
  if (!has_lora()) return x;
  const Tensor update = ops::tensordot(taken(lora_a), lora_b.value(), 1);
  return ops::cast(x + update * Tensor(lora_factor()), dtype);
}

std::optional<AbsMaxQuantizer> AdaptableKernel::inputs_quantizer() const {
  if (config) return config->activation_quantizer;
  return is_int4() ? std::optional<AbsMaxQuantizer>() : AbsMaxQuantizer();
}

Variables AdaptableKernel::stored_variables() const {
  Variables own;
  const Variable groups = owns_groups ? group_index : Variable();
  for (const Variable& v : {kernel, bias, scale, zero_point, groups, float8.inputs.scale,
                            float8.inputs.history, float8.kernel.scale, float8.kernel.history,
                            float8.gradients.scale, float8.gradients.history}) {
    if (v.defined()) own.push_back(v);
  }
  for (const Variable& v : calibrated.variables()) own.push_back(v);
  return own;
}

VariableStore AdaptableKernel::save() const {
  Parts parts{kernel.defined() ? kernel.stored() : Tensor(), {}, {}};
  if (has_lora() && is_quantized()) {
    // Both become one quantized kernel again.
    const Tensor whole = dequantized(DType::float32) + lora_value();
    parts = quantized(whole, is_int4() ? "int4" : "int8", {});
  } else if (has_lora()) {
    parts.kernel = value(kernel.dtype());
  }
  VariableStore store;
  for (const Variable& v : stored_variables()) {
    Tensor t = v.stored();
    if (kernel.defined() && v == kernel) t = parts.kernel;
    if (parts.scale.defined() && v == scale) t = ops::cast(parts.scale, v.dtype());
    if (parts.zero_point.defined() && v == zero_point) t = ops::cast(parts.zero_point, v.dtype());
    store.emplace_back(std::to_string(store.size()), t);
  }
  return store;
}

void AdaptableKernel::load(const std::string& layer, const VariableStore& store) const {
  load_variables(layer, stored_variables(), store);
  restart_lora();
}

void AdaptableKernel::restart_lora() const {
  if (!has_lora()) return;
  for (const Variable& v : {lora_a, lora_b}) v.store(Tensor::zeros(v.dtype(), v.shape()));
}

void load_variables(const std::string& layer, const Variables& variables,
                    const VariableStore& store) {
  if (store.size() != variables.size()) {
    throw ValueError("Layer '" + layer + "' expected " + std::to_string(variables.size()) +
                     " variables, but received " + std::to_string(store.size()) +
                     " variables during loading.");
  }
  for (size_t i = 0; i < variables.size(); ++i) set_checked(layer, variables[i], store[i].second);
}

void check_quantization_mode(const Layer& layer, const std::string& mode) {
  const auto* quantizable = dynamic_cast<const Quantizable*>(&layer);
  if (mode.empty() || (quantizable != nullptr && quantizable->can_quantize(mode))) return;
  throw NotImplementedError("Invalid quantization mode of layer '" + layer.name() +
                            "'. Received: quantization_mode=" + mode);
}

bool keeps_kernel(const DTypePolicy& policy) {
  return policy.quantization_mode.empty() || policy.quantization_mode == "float8";
}

std::optional<int64_t> block_size_of(const DTypePolicy& policy,
                                     const std::optional<QuantizationConfig>& config) {
  return config && config->mode == "int4" ? config->block_size : policy.block_size;
}

void check_quantize(const Layer& layer, const QuantizationConfig& config) {
  if (!layer.built()) {
    throw ValueError("Cannot quantize a layer that isn't yet built. Layer '" + layer.name() +
                     "' (of type '" + layer.class_name() + "') is not built yet.");
  }
  const DTypePolicy& policy = layer.dtype_policy();
  if (!policy.quantization_mode.empty()) {
    throw ValueError("Layer '" + layer.name() + "' is already quantized with dtype_policy='" +
                     policy.name + "'. Received: mode=" + config.mode);
  }
  check_quantization_mode(layer, config.mode);
  quantized_policy(layer, config);  // refuses int8 of float16
  if (config.needs_inputs()) {
    const auto* kernel = dynamic_cast<Quantizable&>(const_cast<Layer&>(layer)).adaptable_kernel();
    if (kernel->calibrated.inputs == 0) {
      throw ValueError(std::string(config.gptq != nullptr ? "GPTQ" : "AWQ") +
                       " quantization only supports 2D or 3D kernels. Layer '" + layer.name() +
                       "' has one of shape " + kernel->shape.str() + ".");
    }
    if (kernel->has_lora()) {
      throw NotImplementedError("Layer '" + layer.name() + "': " + config.mode + " and LoRA.");
    }
  }
}

DTypePolicy quantized_policy(const Layer& layer, const QuantizationConfig& config) {
  return DTypePolicy::quantized(config.policy_mode(), layer.dtype_policy());
}

Tensor last_axis_product(const Tensor& x, const Tensor& matrix) {
  if (x.dtype() == DType::int8) return exact_product(x, matrix);
  if (x.rank() == 2) return ops::matmul(x, matrix);
  return ops::dot_general(x, matrix, {.lhs_contract = {x.rank() - 1}, .rhs_contract = {0}});
}

Tensor scaled_product(const Tensor& x, const Tensor& values, const Tensor& scale,
                      const std::optional<AbsMaxQuantizer>& quantizer,
                      const std::optional<AxisList>& axis, DType dtype) {
  if (!quantizer) {
    return ops::cast(last_axis_product(x, ops::cast(values, x.dtype())), dtype) / scale;
  }
  return custom_gradient(
      [=, inputs = *quantizer](const Tensors& given) -> Tensors {
        const Quantized q = inputs(given[0], axis);
        return {ops::cast(last_axis_product(q.values, values), dtype) / (scale * q.scale)};
      },
      [=](const Tensors&, const Tensors&, const Tensors& gradients) -> Tensors {
        const Tensor matrix = ops::transpose(ops::cast(values, dtype) / scale);
        return {last_axis_product(gradients[0], matrix)};
      },
      {x})[0];
}

}  // namespace antler
