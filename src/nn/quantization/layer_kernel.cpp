#include "nn/quantization/layer_kernel.h"

#include "antler/base/error.h"
#include "antler/ir/tracer.h"

namespace antler {

void LayerKernel::build(const std::string& layer, const KernelSpec& spec, const DTypePolicy& policy,
                        const WeightAccess& weights) {
  auto own = std::make_shared<KernelSpec>(spec);
  own->layer = layer;
  spec_ = std::move(own);
  config_ = spec.config;
  const bool is_int4 = config_ && config_->mode == "int4";
  form_ = form_of_mode(spec_,
                       {.name = policy.quantization_mode,
                        .block_size = is_int4 ? config_->block_size : policy.block_size,
                        .weight_bits = policy.weight_bits,
                        .group_size = policy.group_size},
                       config_, policy.amax_history_length);
  form_->add_weights(weights);
}

Tensor LayerKernel::product(const Tensor& x, DType dtype, bool training) const {
  if (const auto seen = seen_.lock()) {
    const Tensor features = spec_->contraction->features_last(x);
    if (features.defined()) seen->see(features);
  }
  return form_->product(x, dtype, training);
}

void LayerKernel::check_lora(bool built) const {
  if (spec_ != nullptr && spec_->weight.constraint.given()) {
    throw ValueError(
        "Lora is incompatible with kernel constraints. In order to enable lora on this layer, "
        "remove the `{}_constraint` argument.",
        spec_->weight.name);
  }
  if (!built) throw ValueError("Cannot enable lora on a layer that isn't yet built.");
  form_->check_lora();
  if (lora_rank_ > 0) {
    throw ValueError("lora is already enabled. This can only be done once per layer.");
  }
}

void LayerKernel::add_lora(int64_t rank, const LoraOptions& options, const WeightAccess& weights) {
  form_->check_lora();
  lora_rank_ = rank;
  lora_alpha_ = options.lora_alpha.value_or(static_cast<double>(rank));
  form_ = lora_form(spec_, form_, rank, options);
  form_->add_weights(weights);
}

std::optional<int64_t> LayerKernel::lora_rank() const {
  return lora_rank_ > 0 ? std::optional(lora_rank_) : std::nullopt;
}

void LayerKernel::check_calibration(const std::string& layer,
                                    const QuantizationConfig& config) const {
  if (spec_->inputs == 0) {
    throw ValueError(
        "{} quantization only supports 2D or 3D kernels. Layer '{}' has one of shape {}.",
        config.gptq != nullptr ? "GPTQ" : "AWQ", layer, spec_->weight.shape);
  }
  if (lora_rank_ > 0) {
    throw NotImplementedError("Layer '{}': {} cannot be combined with LoRA.", layer, config.mode);
  }
}

void LayerKernel::quantize(const QuantizationConfig& config, const WeightAccess& weights) {
  if (form_ == nullptr) return;
  const ir::TraceSuspension suspension;
  form_ = form_->quantized(config, weights, seen_.lock().get());
  config_ = config;
}

std::shared_ptr<InputStatistics> LayerKernel::watch_inputs(bool moments) {
  auto seen = std::make_shared<InputStatistics>(spec_->inputs, moments);
  seen_ = seen;
  return seen;
}

Variables LayerKernel::variables() const {
  if (form_ == nullptr) return {};
  Variables all = form_->variables();
  if (bias_.defined()) all.insert(all.begin() + form_->bias_place(), bias_);
  return all;
}

Tensors LayerKernel::saved() const {
  if (form_ == nullptr) return {};
  Tensors all = form_->saved();
  if (bias_.defined()) all.insert(all.begin() + form_->bias_place(), bias_.stored());
  return all;
}

void LayerKernel::restart() const {
  if (form_ != nullptr) form_->restart();
}

void LayerKernel::describe_lora(std::optional<int64_t>& rank, std::optional<double>& alpha) const {
  if (lora_rank_ > 0) {
    rank = lora_rank_;
    alpha = lora_alpha_;
  } else if (!rank || *rank == 0) {
    rank.reset();
    alpha.reset();
  } else if (!alpha) {
    alpha = static_cast<double>(*rank);
  }
}

}  // namespace antler
