#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/variable.h"
#include "antler/nn/layer.h"
#include "antler/ops/reduce.h"

namespace antler {

/// The weights of a layer whose kernel may be adapted after it was trained. Two ways:
///  - LoRA (Hu et al. 2021): the kernel is frozen, and alpha / rank * a b is added, a trainable
///    product of two matrices, a [..., rank] and b [rank, last dimension];
///  - int8: the kernel becomes round(kernel * scale), and scale = 127 / max(abs(kernel)) over the
///    axes that the layer sums over.
/// All copies of a layer share one.
struct AdaptableKernel {
  Variable kernel;
  Variable bias;   ///< undefined: none
  Variable scale;  ///< of a quantized kernel: without the dimensions `scale_axes`
  ops::Axes scale_axes = {};
  int input_rank = 0;  ///< of the input that the layer was built for
  int64_t lora_rank = 0;
  double lora_alpha = 0;
  Variable lora_a;
  Variable lora_b;

  bool has_lora() const { return lora_a.defined(); }
  bool is_quantized() const { return scale.defined(); }
  double lora_factor() const { return lora_alpha / static_cast<double>(lora_rank); }
  /// What is added to the kernel, float32.
  Tensor lora_value() const;
  /// The kernel that the layer computes with, in `dtype`. Not for quantized kernels.
  Tensor value(DType dtype) const;
  /// Freezes the kernel; lora_a and lora_b are there.
  void start_lora(int64_t rank, std::optional<double> alpha);
  /// Throws ValueError when LoRA cannot be added: not built, done before, constrained.
  /// `constraint` is the name of the option.
  void check_lora(bool built, bool constrained, const char* constraint) const;
  /// Rank and alpha for a configuration, unless there is no LoRA.
  void describe_lora(std::optional<int64_t>& rank, std::optional<double>& alpha) const;

  /// Shape of the scale with dimensions of size 1 where it has none.
  Shape kept_shape() const;
  /// Kernel (LoRA merged in), bias and scale under "0", "1", "2".
  VariableStore save() const;
  /// The reverse; LoRA starts anew. Throws ValueError when count or shapes do not match.
  void load(const std::string& layer, const VariableStore& store) const;
};

/// An array as int8 and the factor that maps it there, with dimensions of size 1 at `axes`.
struct Quantized {
  Tensor values;
  Tensor scale;
};
/// Maps the largest magnitude over `axes` to 127 (Keras's abs_max_quantize). In ops.
Quantized quantize_abs_max(const Tensor& x, const ops::Axes& axes);
/// Whether the layer's class has a quantized form.
bool can_quantize(const Layer& layer);
/// Throws what Keras throws when a layer cannot be quantized this way.
void check_quantize(const Layer& layer, const std::string& mode);

}  // namespace antler
