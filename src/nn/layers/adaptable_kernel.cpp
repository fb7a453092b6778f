#include "nn/layers/adaptable_kernel.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/nn/dtype_policy.h"
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

}  // namespace

Tensor AdaptableKernel::lora_value() const {
  return ops::tensordot(lora_a.value(), lora_b.value(), 1) * Tensor(lora_factor());
}

Tensor AdaptableKernel::value(DType dtype) const {
  const Tensor own = kernel.value();
  if (!has_lora()) return own.dtype() == dtype ? own : ops::cast(own, dtype);
  return ops::cast(ops::cast(own, lora_a.dtype()) + lora_value(), dtype);
}

Shape AdaptableKernel::kept_shape() const {
  Shape shape = kernel.shape();
  for (int64_t axis : scale_axes) shape[normalize_axis(axis, shape.rank(), "axis")] = 1;
  return shape;
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

VariableStore AdaptableKernel::save() const {
  Tensor value = kernel.stored();
  Tensor factor = is_quantized() ? scale.stored() : Tensor();
  if (has_lora() && is_quantized()) {
    // Both become one quantized kernel again.
    const Shape kept = kept_shape();
    const Tensor whole =
        ops::cast(value, factor.dtype()) / ops::reshape(factor, kept) + lora_value();
    Quantized merged = quantize_abs_max(whole, scale_axes);
    value = std::move(merged.values);
    factor = ops::reshape(merged.scale, factor.shape());
  } else if (has_lora()) {
    value = this->value(kernel.dtype());
  }
  VariableStore store;
  const auto add = [&](const Tensor& t) {
    if (t.defined()) store.emplace_back(std::to_string(store.size()), t);
  };
  add(value);
  add(bias.defined() ? bias.stored() : Tensor());
  add(factor);
  return store;
}

void AdaptableKernel::load(const std::string& layer, const VariableStore& store) const {
  Variables own = {kernel};
  for (const Variable& v : {bias, scale}) {
    if (v.defined()) own.push_back(v);
  }
  if (store.size() != own.size()) {
    throw ValueError("Layer '" + layer + "' expected " + std::to_string(own.size()) +
                     " variables, but received " + std::to_string(store.size()) +
                     " variables during loading.");
  }
  for (size_t i = 0; i < own.size(); ++i) set_checked(layer, own[i], store[i].second);
  if (!has_lora()) return;
  for (const Variable& v : {lora_a, lora_b}) v.store(Tensor::zeros(v.dtype(), v.shape()));
}

Quantized quantize_abs_max(const Tensor& x, const ops::Axes& axes) {
  const Tensor largest = ops::max(ops::absolute(x), axes, true);
  const Tensor scale = ops::cast(Tensor(127.0) / (largest + Tensor(1e-7)), x.dtype());
  const Tensor values = ops::clip(ops::round(x * scale), Tensor(-127.0), Tensor(127.0));
  return {ops::cast(values, DType::int8), scale};
}

bool can_quantize(const Layer& layer) {
  const std::string& name = layer.class_name();
  return name == "Dense" || name == "EinsumDense" || name == "Embedding";
}

void check_quantize(const Layer& layer, const std::string& mode) {
  if (!layer.built()) {
    throw ValueError("Cannot quantize a layer that isn't yet built. Layer '" + layer.name() +
                     "' (of type '" + layer.class_name() + "') is not built yet.");
  }
  if (!layer.dtype_policy().quantization_mode.empty()) {
    throw ValueError("Layer '" + layer.name() + "' is already quantized with dtype_policy='" +
                     layer.dtype_policy().name + "'. Received: mode=" + mode);
  }
  if (mode != "int8") {
    throw ValueError("Invalid quantization mode. Expected one of ('int8',). Received: mode=" +
                     mode);
  }
  DTypePolicy::parse("int8_from_" + layer.dtype_policy().name);  // refuses float16
}

}  // namespace antler
