#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/variable.h"
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

/// What a layer says of its kernel, whatever form that has.
struct KernelSpec {
  WeightOptions weight;  ///< the kernel in floats; names of other weights derive from its name
  std::optional<QuantizationConfig> config = {};  ///< of a quantized dtype policy
  std::shared_ptr<const Contraction> contraction = std::make_shared<Contraction>();

  ScaleLayout scales = ScaleLayout::of_matrix(0);  ///< of int8
  /// Its matrix has the kernel's elements in their order. No shape: the kernel is a matrix.
  Int4Layout int4 = {};
  std::optional<AbsMaxQuantizer> int4_inputs = {};  ///< quantizes inputs unless a config says more
  /// Of blocks of int4: the block of each element of the contracted axis. Two kernels may share it.
  std::shared_ptr<Variable> int4_groups = std::make_shared<Variable>();

  int64_t inputs = 0;                     ///< of gptq and awq: the kernel as a matrix
  int64_t outputs = 0;                    ///< [inputs, outputs]; 0: it is none
  const char* zero_name = "kernel_zero";  ///< of the weight there

  std::string layer = {};  ///< its name, for errors
};

/// How forms make and remove the weights of their layer.
struct WeightAccess {
  std::function<Variable(const WeightOptions&)> add;
  std::function<void(const Variable&)> remove;
};

class KernelForm;
using KernelFormPtr = std::shared_ptr<KernelForm>;
using KernelSpecPtr = std::shared_ptr<const KernelSpec>;

/// One way to store a layer's kernel and to compute with it. Layers ask these functions and never
/// which form it is.
class KernelForm : public std::enable_shared_from_this<KernelForm> {
 public:
  explicit KernelForm(KernelSpecPtr spec) : spec_(std::move(spec)) {}
  virtual ~KernelForm() = default;

  /// Makes the weights that are not there yet.
  virtual void add_weights(const WeightAccess& weights) = 0;
  /// What files store, in their order, but for the bias.
  virtual Variables variables() const = 0;
  /// The place of the bias among them.
  virtual int bias_place() const { return 1; }
  /// Values to save for variables().
  virtual Tensors saved() const;
  /// Called after values were loaded.
  virtual void restart() const {}
  /// Values of the first of variables() for a kernel of floats. `config` and what was `seen` of the
  /// inputs may be null.
  virtual Tensors encoded(const Tensor& kernel, const QuantizationConfig* config,
                          const InputStatistics* seen) const = 0;

  /// The kernel that the layer computes with.
  virtual Tensor value(DType dtype) const = 0;
  /// x times the kernel.
  virtual Tensor product(const Tensor& x, DType dtype, bool training) const;
  /// Rows of a kernel that is a matrix of vectors.
  virtual Tensor rows(const Tensor& indices, DType dtype) const;
  virtual Tensor bias(const Variable& bias, DType dtype) const;

  /// Throws NotImplementedError if the form takes no LoRA.
  virtual void check_lora() const {}
  /// Whether LoRA's update is added to products and rows, rather than to the kernel.
  virtual bool adapts_products() const { return false; }
  /// The form that replaces this one. Throws ValueError before anything has changed.
  virtual KernelFormPtr quantized(const QuantizationConfig& config, const WeightAccess& weights,
                                  const InputStatistics* seen);
  /// The config entry "gptq_unpacked_column_size".
  virtual std::optional<int64_t> gptq_columns() const { return {}; }

 protected:
  static Variable add_frozen(const WeightAccess& weights, const std::string& name,
                             const Shape& shape, const char* initializer,
                             std::optional<DType> dtype = {});
  const KernelSpecPtr spec_;
};

/// Forms without weights yet. The kernel in floats:
KernelFormPtr plain_form(KernelSpecPtr spec);
/// A form with LoRA (Hu et al. 2021): alpha / rank * a b is added to the frozen kernel, a trainable
/// product of two matrices, a [..., rank] and b [rank, last dimension].
KernelFormPtr lora_form(KernelSpecPtr spec, KernelFormPtr frozen, int64_t rank, double alpha);
/// Keeps the kernel and rounds it, like the inputs and gradients, where they are used. Its weights
/// are scales and the largest magnitudes of the last `history` steps.
KernelFormPtr float8_form(KernelSpecPtr spec, KernelFormPtr plain, int64_t history);
/// round(kernel * scale), with scale = 127 / max(abs(kernel)) over the axes that are summed over.
KernelFormPtr int8_form(KernelSpecPtr spec, std::optional<AbsMaxQuantizer> inputs);
/// Two such numbers of 4 bits per byte, of the kernel as a matrix; with a block size in blocks that
/// have a zero point, too.
KernelFormPtr int4_form(KernelSpecPtr spec, std::optional<AbsMaxQuantizer> inputs,
                        std::optional<int64_t> block_size);
/// GPTQ and AWQ, which choose the numbers by what the inputs were.
KernelFormPtr calibrated_form(KernelSpecPtr spec, const QuantizationMode& mode);
/// The form of a mode; the mode of an empty name is the plain one.
KernelFormPtr form_of_mode(const KernelSpecPtr& spec, const QuantizationMode& mode,
                           const std::optional<QuantizationConfig>& config, int64_t float8_history);

/// (values - zero_point) * scale, where `groups` says which of the scales and zero points each
/// index of the contracted axis has; all may be rows of a matrix whose contracted axis is the last.
Tensor values_of_groups(const Tensor& values, const Tensor& scale, const Tensor& zero_point,
                        const Tensor& groups, int contracted, DType dtype);
/// Stores values in the first of these variables, in their dtypes.
void store_first(const Variables& variables, const Tensors& values);

}  // namespace antler
