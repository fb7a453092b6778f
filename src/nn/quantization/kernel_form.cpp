#include "nn/quantization/kernel_form.h"

#include "antler/nn/dtype_policy.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {
namespace {

class PlainForm : public KernelForm {
 public:
  using KernelForm::KernelForm;
  void add_weights(const WeightAccess& weights) override {
    if (!kernel_.defined()) kernel_ = weights.add(spec_->weight);
  }
  Variables variables() const override { return {kernel_}; }
  Tensors encoded(const Tensor& kernel, const QuantizationConfig*,
                  const InputStatistics*) const override {
    return {kernel};
  }
  Tensor value(DType dtype) const override { return ops::cast(kernel_.value(), dtype); }

  KernelFormPtr quantized(const QuantizationConfig& config, const WeightAccess& weights,
                          const InputStatistics* seen) override {
    if (config.mode == "float8") {
      KernelFormPtr form =
          float8_form(spec_, shared_from_this(), DTypePolicy().amax_history_length);
      form->add_weights(weights);
      return form;
    }
    KernelFormPtr form =
        form_of_mode(spec_, QuantizationMode::parse(config.policy_mode()), config, 0);
    const Tensors values = form->encoded(kernel_.stored(), &config, seen);
    weights.remove(kernel_);
    form->add_weights(weights);
    store_first(form->variables(), values);
    return form;
  }

 private:
  Variable kernel_;
};

}  // namespace

Tensors KernelForm::saved() const {
  Tensors values;
  for (const Variable& v : variables()) values.push_back(v.stored());
  return values;
}

Tensor KernelForm::product(const Tensor& x, DType dtype, bool) const {
  return spec_->contraction->times(x, value(dtype));
}

Tensor KernelForm::rows(const Tensor& indices, DType dtype) const {
  return ops::take(value(dtype), indices, 0);
}

Tensor KernelForm::bias(const Variable& bias, DType dtype) const {
  return ops::cast(bias.value(), dtype);
}

KernelFormPtr KernelForm::quantized(const QuantizationConfig&, const WeightAccess&,
                                    const InputStatistics*) {
  return shared_from_this();
}

Variable KernelForm::add_frozen(const WeightAccess& weights, const std::string& name,
                                const Shape& shape, const char* initializer,
                                std::optional<DType> dtype) {
  return weights.add({.shape = shape,
                      .initializer = initializer,
                      .dtype = dtype,
                      .trainable = false,
                      .name = name});
}

KernelFormPtr plain_form(KernelSpecPtr spec) {
  return std::make_shared<PlainForm>(std::move(spec));
}

KernelFormPtr form_of_mode(const KernelSpecPtr& spec, const QuantizationMode& mode,
                           const std::optional<QuantizationConfig>& config,
                           int64_t float8_history) {
  using Inputs = std::optional<AbsMaxQuantizer>;
  if (mode.name.empty()) return plain_form(spec);
  if (mode.name == "float8") return float8_form(spec, plain_form(spec), float8_history);
  if (mode.name == "int8") {
    return int8_form(spec, config ? config->activation_quantizer : Inputs(AbsMaxQuantizer()));
  }
  if (mode.name == "int4") {
    const bool per_channel = mode.block_size.value_or(-1) == -1;
    return int4_form(spec, config ? config->activation_quantizer : spec->int4_inputs,
                     per_channel ? std::optional<int64_t>() : mode.block_size);
  }
  return calibrated_form(spec, mode);
}

Tensor values_of_groups(const Tensor& values, const Tensor& scale, const Tensor& zero_point,
                        const Tensor& groups, int contracted, DType dtype) {
  const Tensor index = ops::cast(groups, DType::int32);
  const int axis = contracted == 0 ? 0 : -1;
  const Tensor factor = ops::take(scale, index, axis);
  const Tensor zero = ops::cast(ops::take(zero_point, index, axis), factor.dtype());
  return ops::cast((ops::cast(values, factor.dtype()) - zero) * factor, dtype);
}

void store_first(const Variables& variables, const Tensors& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    variables[i].store(ops::cast(values[i], variables[i].dtype()));
  }
}

}  // namespace antler
