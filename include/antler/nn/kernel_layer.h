#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/layer.h"
#include "antler/nn/quantizable.h"

namespace antler {

class LayerKernel;
struct KernelSpec;
struct WeightAccess;

/// Options of KernelLayer::enable_lora().
struct LoraOptions {
  Initializer a_initializer = "he_uniform";
  Initializer b_initializer = "zeros";
  std::optional<double> lora_alpha = {};  ///< not given: the rank
};

/// A layer whose kernel LoRA can adapt after training.
class KernelLayer : public Layer {
 public:
  /// Freezes the kernel and adds lora_alpha / rank times a trainable product of two matrices (Hu et
  /// al. 2021): `lora_<kernel>_a` has the kernel's shape with `rank` as the last dimension,
  /// `lora_<kernel>_b` is [rank, last dimension]. Throws ValueError if the layer is not built, has
  /// LoRA already, or has a kernel constraint.
  void enable_lora(int64_t rank, const LoraOptions& options = {});
  template <class... K>
  requires KeywordArguments<K...>
  void enable_lora(int64_t rank, K... keywords) {
    enable_lora(rank, from_keywords<LoraOptions>(std::move(keywords)...));
  }
  bool lora_enabled() const { return lora_rank().has_value(); }
  /// The rank of LoRA, if it is enabled.
  std::optional<int64_t> lora_rank() const;
  /// The weights with these names. Throw AttributeError before build(), and bias() for a layer
  /// without bias.
  Variable kernel() const { return weight("kernel"); }
  Variable bias() const { return weight("bias"); }
  VariableStore save_own_variables() const override;
  void load_own_variables(const VariableStore& store) override;

 protected:
  explicit KernelLayer(const std::string& class_name, const LayerOptions& options = {});
  /// All kernels, in the order in which files store them.
  virtual std::vector<LayerKernel*> kernels() const { return {kernel_.get()}; }
  /// Creates the weights, quantized if the dtype policy of a Quantizable layer says so.
  void build_kernel(LayerKernel& kernel, const KernelSpec& spec);
  /// Adds LoRA if a rank other than 0 is given.
  void add_lora(std::optional<int64_t> rank, const LoraOptions& options = {});
  WeightAccess weight_access();

  std::shared_ptr<LayerKernel> kernel_;  ///< shared by all copies
};

/// A KernelLayer with quantized forms.
class QuantizableLayer : public KernelLayer, public Quantizable {
 public:
  /// Default: all modes.
  bool can_quantize(const std::string& mode) const override;
  void quantize(const QuantizationConfig& config) override;
  void quantize(const std::string& mode) override { quantize(QuantizationConfig(mode)); }
  /// The kernel whose inputs antler::quantize() observes.
  LayerKernel& layer_kernel() const { return *kernel_; }

 protected:
  using KernelLayer::KernelLayer;
};

}  // namespace antler
