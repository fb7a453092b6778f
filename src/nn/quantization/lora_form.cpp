#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "nn/quantization/kernel_form.h"

namespace antler {
namespace {

class LoraForm : public KernelForm {
 public:
  LoraForm(KernelSpecPtr spec, KernelFormPtr frozen, int64_t rank, const LoraOptions& options)
      : KernelForm(std::move(spec)),
        frozen_(std::move(frozen)),
        rank_(rank),
        options_(options),
        factor_(options.lora_alpha.value_or(static_cast<double>(rank)) /
                static_cast<double>(rank)) {}

  void add_weights(const WeightAccess& weights) override {
    const WeightOptions& kernel = spec_->weight;
    Shape shape = kernel.shape;
    shape[shape.rank() - 1] = rank_;
    a_ = weights.add({.shape = shape,
                      .initializer = options_.a_initializer,
                      .dtype = DType::float32,
                      .regularizer = kernel.regularizer,
                      .name = "lora_" + kernel.name + "_a"});
    b_ = weights.add({.shape = {rank_, kernel.shape.back()},
                      .initializer = options_.b_initializer,
                      .dtype = DType::float32,
                      .regularizer = kernel.regularizer,
                      .name = "lora_" + kernel.name + "_b"});
    frozen_->variables().front().set_trainable(false);
  }
  Variables variables() const override { return frozen_->variables(); }
  Tensors saved() const override {
    Tensors values = frozen_->saved();
    const Variables variables = frozen_->variables();
    const Tensors merged = encoded(value(DType::float32), nullptr, nullptr);
    for (size_t i = 0; i < merged.size(); ++i) {
      values[i] = ops::cast(merged[i], variables[i].dtype());
    }
    return values;
  }
  void restart() const override {
    for (const Variable& v : {a_, b_}) v.store(Tensor::zeros(v.dtype(), v.shape()));
  }
  Tensors encoded(const Tensor& kernel, const QuantizationConfig* config,
                  const InputStatistics* seen) const override {
    return frozen_->encoded(kernel, config, seen);
  }

  Tensor value(DType dtype) const override {
    const Tensor update = ops::tensordot(a_.value(), b_.value(), 1) * Tensor(factor_);
    return ops::cast(frozen_->value(a_.dtype()) + update, dtype);
  }
  Tensor product(const Tensor& x, DType dtype, bool training) const override {
    if (!frozen_->adapts_products()) return KernelForm::product(x, dtype, training);
    const Tensor product = frozen_->product(x, dtype, training);
    const Tensor update = spec_->contraction->lora_times(x, a_.value(), b_.value());
    return update.defined() ? ops::cast(product + update * Tensor(factor_), dtype) : product;
  }
  Tensor rows(const Tensor& indices, DType dtype) const override {
    if (!frozen_->adapts_products()) return KernelForm::rows(indices, dtype);
    const Tensor update = ops::tensordot(ops::take(a_.value(), indices, 0), b_.value(), 1);
    return ops::cast(frozen_->rows(indices, dtype) + update * Tensor(factor_), dtype);
  }

  KernelFormPtr quantized(const QuantizationConfig& config, const WeightAccess& weights,
                          const InputStatistics* seen) override {
    frozen_ = frozen_->quantized(config, weights, seen);
    return shared_from_this();
  }

 private:
  KernelFormPtr frozen_;
  int64_t rank_;
  LoraOptions options_;
  double factor_;
  Variable a_;
  Variable b_;
};

}  // namespace

KernelFormPtr lora_form(KernelSpecPtr spec, KernelFormPtr frozen, int64_t rank,
                        const LoraOptions& options) {
  return std::make_shared<LoraForm>(std::move(spec), std::move(frozen), rank, options);
}

}  // namespace antler
