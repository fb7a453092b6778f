#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/nn/dtype_policy.h"
#include "nn/quantization/kernel_form.h"

namespace antler {

/// The kernel of a layer in its current form, and the bias. All copies of a layer share it.
class LayerKernel {
 public:
  /// Creates the weights in the form that the policy requires. `layer` is the layer's name.
  void build(const std::string& layer, const KernelSpec& spec, const DTypePolicy& policy,
             const WeightAccess& weights);
  void set_bias(const Variable& bias) { bias_ = bias; }

  Tensor value(DType dtype) const { return form_->value(dtype); }
  Tensor product(const Tensor& x, DType dtype, bool training) const;
  Tensor rows(const Tensor& indices, DType dtype) const { return form_->rows(indices, dtype); }
  Tensor bias(DType dtype) const { return form_->bias(bias_, dtype); }

  /// Throws ValueError or NotImplementedError if LoRA cannot be added.
  void check_lora(bool built) const;
  void add_lora(int64_t rank, const LoraOptions& options, const WeightAccess& weights);
  std::optional<int64_t> lora_rank() const;
  /// Throws unless quantize() can use statistics of the inputs.
  void check_calibration(const std::string& layer, const QuantizationConfig& config) const;
  void quantize(const QuantizationConfig& config, const WeightAccess& weights);
  /// While the returned object is alive, calls add their inputs to it, and quantize() uses it.
  /// `moments`: collect second moments instead of magnitudes.
  std::shared_ptr<InputStatistics> watch_inputs(bool moments);

  /// The variables that files store, in order.
  Variables variables() const;
  /// Their values, with LoRA merged into the kernel.
  Tensors saved() const;
  /// Resets LoRA after values have been loaded.
  void restart() const;

  /// The options of a layer as get_config() writes them.
  template <class Options>
  Options described(Options options) const {
    describe_lora(options.lora_rank, options.lora_alpha);
    if constexpr (requires { options.quantization_config; }) {
      if (config_) options.quantization_config = config_;
    }
    if constexpr (requires { options.gptq_unpacked_column_size; }) {
      if (form_ != nullptr && form_->gptq_columns())
        options.gptq_unpacked_column_size = form_->gptq_columns();
    }
    return options;
  }

 private:
  void describe_lora(std::optional<int64_t>& rank, std::optional<double>& alpha) const;
  KernelSpecPtr spec_;
  KernelFormPtr form_;
  Variable bias_;
  std::optional<QuantizationConfig> config_;  ///< how it was quantized, if known
  std::weak_ptr<InputStatistics> seen_;       ///< alive while inputs are collected
  int64_t lora_rank_ = 0;                     ///< 0: no LoRA
  double lora_alpha_ = 0;
};

/// Throws Keras's error if a layer cannot be quantized this way.
void check_quantize(const Layer& layer, const QuantizationConfig& config);

}  // namespace antler
