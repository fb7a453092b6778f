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

/// A layer with a kernel that LoRA can adapt after it was trained.
class KernelLayer : public Layer {
 public:
  /// Freezes the kernel and adds a trainable product of two matrices, lora_<kernel>_a of the
  /// kernel's shape but for the last dimension, which is `rank`, and lora_<kernel>_b [rank, last
  /// dimension] (Hu et al. 2021). The product counts lora_alpha / rank times. Throws ValueError
  /// unless built, when done before, and with a constraint of the kernel.
  void enable_lora(int64_t rank, std::optional<double> lora_alpha = {});
  VariableStore save_own_variables() const override;
  void load_own_variables(const VariableStore& store) override;

 protected:
  explicit KernelLayer(std::string class_name, const LayerOptions& options = {});
  /// All kernels, in the order of files.
  virtual std::vector<LayerKernel*> kernels() const { return {kernel_.get()}; }
  /// Makes the weights, for Quantizable layers in the form of the dtype policy.
  void build_kernel(LayerKernel& kernel, const KernelSpec& spec);
  /// Adds LoRA unless the rank is 0 or not given.
  void add_lora(std::optional<int64_t> rank, std::optional<double> alpha);
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
  /// What quantize() of a model watches the inputs of.
  LayerKernel& kernel() const { return *kernel_; }

 protected:
  using KernelLayer::KernelLayer;
};

}  // namespace antler
