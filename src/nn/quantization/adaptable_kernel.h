#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "antler/core/variable.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layer.h"
#include "antler/nn/quantization_config.h"
#include "nn/quantization/calibrated_kernel.h"
#include "nn/quantization/float8_product.h"
#include "nn/quantization/int4_matrix.h"
#include "nn/quantization/scale_layout.h"
#include "nn/quantizers/input_statistics.h"

namespace antler {

/// The weights of a layer whose kernel may be adapted after it was trained. Two ways:
///  - LoRA (Hu et al. 2021): the kernel is frozen, and alpha / rank * a b is added, a trainable
///    product of two matrices, a [..., rank] and b [rank, last dimension];
///  - quantization: "int8" keeps round(kernel * scale), with scale = 127 / max(abs(kernel)) over
///    the axes that the layer sums over; "int4" keeps two such numbers per byte, of the kernel as a
///    matrix, perhaps in blocks that have a zero point too; "float8" keeps the kernel and rounds
///    it, like the inputs and gradients, where they are used; "gptq" and "awq" choose the numbers
///    by what the inputs were (calibrated_kernel.h).
/// All copies of a layer share one.
struct AdaptableKernel {
  std::string name = "kernel";  ///< of the weight
  Variable kernel;
  Variable bias;         ///< undefined: none
  Variable scale;        ///< of int8 and int4
  Variable zero_point;   ///< of int4 in blocks
  Variable group_index;  ///< of int4 in blocks
  Float8Scales float8;
  CalibratedKernel calibrated;  ///< of gptq and awq; then there is no `kernel`
  std::shared_ptr<InputStatistics> inputs_seen = {};  ///< what calls add their inputs to
  int input_rank = 0;                                 ///< of the input that the layer was built for
  int64_t lora_rank = 0;
  double lora_alpha = 0;
  Variable lora_a;
  Variable lora_b;

  Shape shape = {};         ///< of the kernel before it was quantized
  ScaleLayout layout = {};  ///< of the scales of int8
  Int4Form int4 = {};       ///< of int4; its matrix has the kernel's elements in their order
  bool owns_groups = true;  ///< else group_index is that of another kernel, and zero_point a
                            ///< number of the layer's dtype
  std::optional<QuantizationConfig> config = {};  ///< how it was quantized, where that is known

  bool has_lora() const { return lora_a.defined(); }
  /// int8 or int4.
  bool is_quantized() const { return scale.defined(); }
  bool is_int4() const { return is_quantized() && int4.shape.rank() != 0; }
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

  using AddWeight = std::function<Variable(const WeightOptions&)>;
  using RemoveWeight = std::function<void(const Variable&)>;
  /// Makes the weights of a policy's int8 or int4; `shape`, `layout` and the axes of `int4` are
  /// set.
  void add_quantized(const AddWeight& add, const std::string& mode,
                     std::optional<int64_t> block_size);
  /// Makes the weights of any policy that keeps no kernel of floats.
  void add_quantized(const AddWeight& add, const DTypePolicy& policy);
  /// Replaces the kernel by a quantized one, or adds what float8 needs; `shape`, `layout` and the
  /// axes of `int4` are set.
  void quantize(const QuantizationConfig& how, const AddWeight& add, const RemoveWeight& remove);
  /// The quantized numbers of int8, or of int4 as a matrix.
  Tensor values() const;
  /// What a quantized kernel stands for, without LoRA.
  Tensor dequantized(DType dtype) const;
  /// Rows of a matrix of vectors, in `dtype`, quantized or not, with LoRA.
  Tensor rows(const Tensor& indices, DType dtype) const;
  /// What quantizes the inputs: that of `config`, or where there is none, the one of int8.
  std::optional<AbsMaxQuantizer> inputs_quantizer() const;

  /// All but LoRA, in the order of Keras's files.
  Variables stored_variables() const;
  /// Their values, LoRA merged in, under "0", "1", ...
  VariableStore save() const;
  /// The reverse; LoRA starts anew. Throws ValueError when count or shapes do not match.
  void load(const std::string& layer, const VariableStore& store) const;
  /// The update becomes zero.
  void restart_lora() const;

 private:
  struct Parts {
    Tensor kernel;
    Tensor scale;
    Tensor zero_point;
  };
  Parts quantized(const Tensor& value, const std::string& mode,
                  const std::optional<AbsMaxQuantizer>& quantizer) const;
  CalibratedMatrix calibrated_matrix(const QuantizationConfig& how) const;
};

/// Sets weights to the tensors of a file. Throws ValueError when count or shapes do not match.
void load_variables(const std::string& layer, const Variables& variables,
                    const VariableStore& store);
/// Throws NotImplementedError when a layer's policy has a mode that the layer does not know.
void check_quantization_mode(const Layer& layer, const std::string& mode);
/// Whether the weights of a policy are a kernel of floats.
bool keeps_kernel(const DTypePolicy& policy);
/// Block size of a layer that is made quantized: of the config, or else of the policy.
std::optional<int64_t> block_size_of(const DTypePolicy& policy,
                                     const std::optional<QuantizationConfig>& config);
/// Throws what Keras throws when a layer cannot be quantized this way.
void check_quantize(const Layer& layer, const QuantizationConfig& config);
/// The layer's policy after it.
DTypePolicy quantized_policy(const Layer& layer, const QuantizationConfig& config);
/// Products of int8 numbers of which float32 holds any sum: 128 * 128 * 1024 is 2^24.
inline constexpr int64_t kExactTerms = 1024;
/// x times a matrix, over the last axis of x; of int8 numbers exactly, as float32 or int32.
Tensor last_axis_product(const Tensor& x, const Tensor& matrix);
/// x times what int8 numbers [in, out] and their scale [out] stand for. With a quantizer, x is
/// quantized too, and the gradient is that of the product with the float matrix.
Tensor scaled_product(const Tensor& x, const Tensor& values, const Tensor& scale,
                      const std::optional<AbsMaxQuantizer>& quantizer,
                      const std::optional<AxisList>& axis, DType dtype);

}  // namespace antler
