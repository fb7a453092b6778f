#include "antler/base/error.h"
#include "antler/nn/quantizers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/quantization/kernel_form.h"
#include "nn/quantizers/calibrated_matrix.h"

namespace antler {
namespace {

/// The kernel as a matrix [inputs, outputs], stored transposed and as integers.
class CalibratedForm : public KernelForm {
 public:
  CalibratedForm(KernelSpecPtr spec, QuantizationMode mode)
      : KernelForm(std::move(spec)), mode_(std::move(mode)) {}

  void add_weights(const WeightAccess& weights) override {
    const int64_t inputs = spec_->inputs;
    const int64_t outputs = spec_->outputs;
    if (inputs == 0) {
      throw ValueError("{} quantization only supports 2D or 3D kernels.", method());
    }
    const Shape groups{outputs, group_count(inputs, mode_.group_size)};
    values_ = add_frozen(weights, "kernel", {packs() ? (outputs + 1) / 2 : outputs, inputs},
                         "zeros", DType::uint8);
    scale_ = add_frozen(weights, "kernel_scale", groups, "ones");
    zero_point_ = add_frozen(weights, spec_->zero_name, groups, "zeros", DType::uint8);
    if (!is_gptq()) input_scale_ = add_frozen(weights, "awq_scales", {inputs}, "ones");
    group_index_ = add_frozen(weights, "g_idx", {inputs}, "zeros", DType::float32);
  }
  Variables variables() const override {
    if (is_gptq()) return {values_, scale_, zero_point_, group_index_};
    return {values_, scale_, zero_point_, input_scale_, group_index_};
  }
  int bias_place() const override { return 0; }
  Tensors encoded(const Tensor& kernel, const QuantizationConfig* config,
                  const InputStatistics* seen) const override {
    const Tensor matrix = ops::transpose(
        ops::reshape(ops::cast(kernel, DType::float32), {spec_->inputs, spec_->outputs}));
    const CalibratedMatrix m =
        is_gptq()
            ? gptq_quantize(matrix, seen != nullptr ? seen->second_moments() : Tensor(),
                            *config->gptq)
            : awq_quantize(matrix, seen != nullptr ? seen->magnitudes() : Tensor(), *config->awq);
    const Tensor values = packs() ? quantizers::pack_int4(m.values, 0, DType::uint8) : m.values;
    if (is_gptq()) return {values, m.scale, m.zero_point, m.group_index};
    return {values, m.scale, m.zero_point, m.input_scale, m.group_index};
  }

  Tensor value(DType dtype) const override {
    const Tensor levels =
        packs() ? quantizers::unpack_int4(values_.value(), spec_->outputs, 0, DType::uint8)
                : values_.value();
    Tensor matrix =
        ops::transpose(values_of_groups(levels, ops::cast(scale_.value(), dtype),
                                        zero_point_.value(), group_index_.value(), 1, dtype));
    if (!is_gptq()) {
      matrix = matrix / ops::expand_dims(ops::cast(input_scale_.value(), dtype), -1);
    }
    return ops::reshape(matrix, spec_->weight.shape);
  }
  void check_lora() const override {
    throw NotImplementedError("lora is not currently supported with {} quantization.", method());
  }
  std::optional<int64_t> gptq_columns() const override {
    return is_gptq() ? std::optional(spec_->outputs) : std::nullopt;
  }

 private:
  bool is_gptq() const { return mode_.name == "gptq"; }
  bool packs() const { return mode_.weight_bits == 4; }  ///< two values per byte
  std::string method() const { return is_gptq() ? "GPTQ" : "AWQ"; }
  QuantizationMode mode_;
  Variable values_;       ///< uint8 [outputs, inputs]; packed: [ceil(outputs / 2), inputs]
  Variable scale_;        ///< [outputs, groups]
  Variable zero_point_;   ///< uint8 [outputs, groups]
  Variable input_scale_;  ///< [inputs]; AWQ only
  Variable group_index_;  ///< float32 [inputs]
};

}  // namespace

KernelFormPtr calibrated_form(KernelSpecPtr spec, const QuantizationMode& mode) {
  return std::make_shared<CalibratedForm>(std::move(spec), mode);
}

}  // namespace antler
