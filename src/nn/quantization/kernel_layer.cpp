#include "antler/nn/kernel_layer.h"

#include <array>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/dtype_policy.h"
#include "nn/layer_state.h"
#include "nn/layers/conv_support.h"
#include "nn/quantization/layer_kernel.h"

namespace antler {
namespace {

/// Throws NotImplementedError for modes that the layer does not support.
void check_mode(const Layer& layer, const std::string& mode) {
  const auto* quantizable = dynamic_cast<const Quantizable*>(&layer);
  if (mode.empty() || (quantizable != nullptr && quantizable->can_quantize(mode))) return;
  throw NotImplementedError(
      "Invalid quantization mode of layer '{}'. Received: quantization_mode={}", layer.name(),
      mode);
}

DTypePolicy quantized_policy(const Layer& layer, const QuantizationConfig& config) {
  return DTypePolicy::quantized(config.policy_mode(), layer.dtype_policy());
}

}  // namespace

KernelLayer::KernelLayer(const std::string& class_name, const LayerOptions& options)
    : Layer(class_name, options), kernel_(std::make_shared<LayerKernel>()) {}

WeightAccess KernelLayer::weight_access() {
  return {[this](const WeightOptions& options) { return add_weight(options); },
          [this](const Variable& weight) { remove_weight(weight); }};
}

void KernelLayer::build_kernel(LayerKernel& kernel, const KernelSpec& spec) {
  const bool quantizable = dynamic_cast<const Quantizable*>(this) != nullptr;
  const DTypePolicy policy = quantizable ? dtype_policy() : DTypePolicy();
  check_mode(*this, policy.quantization_mode);
  kernel.build(name(), spec, policy, weight_access());
}

void KernelLayer::enable_lora(int64_t rank, const LoraOptions& options) {
  kernel_->check_lora(built());
  check_positive(rank, "rank");
  add_lora(rank, options);
}

std::optional<int64_t> KernelLayer::lora_rank() const { return kernel_->lora_rank(); }

void KernelLayer::add_lora(std::optional<int64_t> rank, const LoraOptions& options) {
  if (rank.value_or(0) > 0) kernel_->add_lora(*rank, options, weight_access());
}

VariableStore KernelLayer::save_own_variables() const {
  VariableStore store;
  if (!built()) return store;
  for (const LayerKernel* kernel : kernels()) {
    for (const Tensor& value : kernel->saved())
      store.emplace_back(std::to_string(store.size()), value);
  }
  return store;
}

void KernelLayer::load_own_variables(const VariableStore& given) {
  if (!built()) return;
  Variables own;
  for (const LayerKernel* kernel : kernels()) {
    for (const Variable& v : kernel->variables()) own.push_back(v);
  }
  const VariableStore store = joined_parts(given, own);
  if (store.size() != own.size()) {
    throw ValueError("Layer '{}' expected {} variables, but received {} variables during loading.",
                     name(), own.size(), store.size());
  }
  for (size_t i = 0; i < own.size(); ++i) store_value(name(), own[i], store[i].second);
  for (const LayerKernel* kernel : kernels()) kernel->restart();
}

bool QuantizableLayer::can_quantize(const std::string& mode) const {
  return mode == "int8" || mode == "int4" || mode == "float8" || mode == "gptq" || mode == "awq";
}

void QuantizableLayer::quantize(const QuantizationConfig& config) {
  check_quantize(*this, config);
  for (LayerKernel* kernel : kernels()) kernel->quantize(config, weight_access());
  set_dtype_policy(quantized_policy(*this, config));
}

void check_quantize(const Layer& layer, const QuantizationConfig& config) {
  if (!layer.built()) {
    throw ValueError(
        "Cannot quantize a layer that isn't yet built. Layer '{}' (of type '{}') is not built yet.",
        layer.name(), layer.class_name());
  }
  const DTypePolicy& policy = layer.dtype_policy();
  if (!policy.quantization_mode.empty()) {
    throw ValueError("Layer '{}' is already quantized with dtype_policy='{}'. Received: mode={}",
                     layer.name(), policy.name, config.mode);
  }
  check_mode(layer, config.mode);
  quantized_policy(layer, config);  // rejects int8 of float16
  const auto* own = dynamic_cast<const QuantizableLayer*>(&layer);
  if (own != nullptr && config.needs_inputs()) {
    own->layer_kernel().check_calibration(layer.name(), config);
  }
}

}  // namespace antler
