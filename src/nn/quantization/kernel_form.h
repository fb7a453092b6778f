#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/variable.h"
#include "antler/nn/kernel_layer.h"
#include "antler/nn/layer.h"
#include "antler/nn/quantization_config.h"
#include "nn/quantization/contraction.h"
#include "nn/quantization/quantization_mode.h"
#include "nn/quantization/scale_layout.h"
#include "nn/quantizers/input_statistics.h"

namespace antler {

/// How int4 lays out a matrix.
struct Int4Layout {
  Shape shape = {};
  int contracted = 0;  ///< the axis whose elements share scales
  int packed = 1;      ///< the axis along which two numbers share a byte
};

/// The description of a layer's kernel, which does not depend on its form.
struct KernelSpec {
  WeightOptions weight;  ///< the floating-point kernel; other weights are named after it
  std::optional<QuantizationConfig> config = {};  ///< of a quantized dtype policy, if any
  std::shared_ptr<const Contraction> contraction = std::make_shared<Contraction>();

  ScaleLayout scales = ScaleLayout::of_matrix(0);  ///< for int8
  /// For int4: a matrix with the elements of the kernel in the same order. Without a shape, the
  /// kernel itself is the matrix.
  Int4Layout int4 = {};
  std::optional<AbsMaxQuantizer> int4_inputs =
      {};  ///< used unless a configuration has its own quantizer
  /// For int4 in blocks: the block of each index along the contracted axis. Kernels may share it.
  std::shared_ptr<Variable> int4_groups = std::make_shared<Variable>();

  int64_t inputs = 0;                     ///< for GPTQ and AWQ: the kernel as a matrix
  int64_t outputs = 0;                    ///< [inputs, outputs]; 0 if it is not a matrix
  const char* zero_name = "kernel_zero";  ///< name of their zero points

  std::string layer = {};  ///< the name of the layer, for errors
};

/// How forms create and remove the weights of their layer.
struct WeightAccess {
  std::function<Variable(const WeightOptions&)> add;
  std::function<void(const Variable&)> remove;
};

class KernelForm;
using KernelFormPtr = std::shared_ptr<KernelForm>;
using KernelSpecPtr = std::shared_ptr<const KernelSpec>;

/// One way to store a layer's kernel and to compute with it. Layers call these functions and do not
/// check which form they have.
class KernelForm : public std::enable_shared_from_this<KernelForm> {
 public:
  explicit KernelForm(KernelSpecPtr spec) : spec_(std::move(spec)) {}
  virtual ~KernelForm() = default;

  /// Creates the weights that do not exist yet.
  virtual void add_weights(const WeightAccess& weights) = 0;
  /// The variables that files store, in order, without the bias.
  virtual Variables variables() const = 0;
  /// The index of the bias in the files' order.
  virtual int bias_place() const { return 1; }
  /// Values to save for variables().
  virtual Tensors saved() const;
  /// Called after values have been loaded.
  virtual void restart() const {}
  /// The values of the first variables() for a floating-point kernel. `config` and `seen`, the
  /// statistics of the inputs, may be null.
  virtual Tensors encoded(const Tensor& kernel, const QuantizationConfig* config,
                          const InputStatistics* seen) const = 0;

  /// The kernel that the layer computes with.
  virtual Tensor value(DType dtype) const = 0;
  /// The product of `x` and the kernel.
  virtual Tensor product(const Tensor& x, DType dtype, bool training) const;
  /// Rows of the kernel, if it is a table of vectors.
  virtual Tensor rows(const Tensor& indices, DType dtype) const;
  virtual Tensor bias(const Variable& bias, DType dtype) const;

  /// Throws NotImplementedError if the form does not support LoRA.
  virtual void check_lora() const {}
  /// Whether LoRA's update is added to products and rows rather than to the kernel.
  virtual bool adapts_products() const { return false; }
  /// The form that replaces this one. Errors (ValueError) are thrown before anything changes.
  virtual KernelFormPtr quantized(const QuantizationConfig& config, const WeightAccess& weights,
                                  const InputStatistics* seen);
  /// The entry "gptq_unpacked_column_size" of the configuration.
  virtual std::optional<int64_t> gptq_columns() const { return {}; }

 protected:
  static Variable add_frozen(const WeightAccess& weights, const std::string& name,
                             const Shape& shape, const char* initializer,
                             std::optional<DType> dtype = {});
  const KernelSpecPtr spec_;
};

// All forms are created without weights.

/// The floating-point kernel.
KernelFormPtr plain_form(KernelSpecPtr spec);
/// A form with LoRA (Hu et al. 2021): adds alpha / rank * a b to the frozen kernel, where a [...,
/// rank] and b [rank, last dimension] are trainable matrices.
KernelFormPtr lora_form(KernelSpecPtr spec, KernelFormPtr frozen, int64_t rank,
                        const LoraOptions& options);
/// Keeps the kernel, and rounds kernel, inputs and gradients to float8 where they are used. Its
/// other weights are the scales and the largest magnitudes of the last `history` steps.
KernelFormPtr float8_form(KernelSpecPtr spec, KernelFormPtr plain, int64_t history);
/// round(kernel * scale), with scale = 127 / max(abs(kernel)) over the contracted axes.
KernelFormPtr int8_form(KernelSpecPtr spec, std::optional<AbsMaxQuantizer> inputs);
/// The kernel as a matrix of 4-bit numbers, two per byte. With a block size, each block has its own
/// scale and zero point.
KernelFormPtr int4_form(KernelSpecPtr spec, std::optional<AbsMaxQuantizer> inputs,
                        std::optional<int64_t> block_size);
/// GPTQ and AWQ, which choose the integers using statistics of the inputs.
KernelFormPtr calibrated_form(KernelSpecPtr spec, const QuantizationMode& mode);
/// The form for a mode; plain if the name of the mode is empty.
KernelFormPtr form_of_mode(const KernelSpecPtr& spec, const QuantizationMode& mode,
                           const std::optional<QuantizationConfig>& config, int64_t float8_history);

/// (values - zero_point) * scale, where `groups` has the index of the scale and zero point for each
/// index along the contracted axis. `values`, `scale` and `zero_point` may be rows of a matrix
/// whose last axis is contracted.
Tensor values_of_groups(const Tensor& values, const Tensor& scale, const Tensor& zero_point,
                        const Tensor& groups, int contracted, DType dtype);
/// Stores the values in the first variables, converted to their dtypes.
void store_first(const Variables& variables, const Tensors& values);

}  // namespace antler
