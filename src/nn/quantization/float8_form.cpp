#include <string>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/core/overwrite_with_gradient.h"
#include "antler/nn/quantizers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/quantization/kernel_form.h"

namespace antler {
namespace {

/// A scale and the largest magnitudes of the last steps, which determine the next scale. The new
/// values are returned as gradients, which optimizers store unchanged.
struct Float8Statistic {
  Variable scale;    ///< []
  Variable history;  ///< [length]
};

constexpr char kForward[] = "float8_e4m3fn";
constexpr char kBackward[] = "float8_e5m2";

Tensor next_scale(const Tensor& scale, const Tensor& history, const char* format) {
  return quantizers::compute_float8_scale(ops::max(history), scale,
                                          Tensor(quantizers::float8_max(format)));
}

Tensor rounded(const Tensor& x, const Float8Statistic& statistic, bool training) {
  return custom_gradient(
      [](const Tensors& given) -> Tensors {
        return {
            quantizers::quantize_and_dequantize(given[0], given[1], kForward, given[0].dtype())};
      },
      [=](const Tensors& given, const Tensors&, const Tensors& gradients) -> Tensors {
        if (!training) return {gradients[0], {}, {}};
        return {gradients[0], next_scale(given[1], given[2], kForward),
                quantizers::compute_float8_amax_history(given[0], given[2])};
      },
      {x, statistic.scale.value(), statistic.history.value()})[0];
}

Tensor with_rounded_gradient(const Tensor& x, const Float8Statistic& statistic) {
  return custom_gradient(
      [](const Tensors& given) -> Tensors { return {given[0]}; },
      [](const Tensors& given, const Tensors&, const Tensors& gradients) -> Tensors {
        const Tensor& gradient = gradients[0];
        return {
            quantizers::quantize_and_dequantize(gradient, given[1], kBackward, gradient.dtype()),
            next_scale(given[1], given[2], kBackward),
            quantizers::compute_float8_amax_history(gradient, given[2])};
      },
      {x, statistic.scale.value(), statistic.history.value()})[0];
}

class Float8Form : public KernelForm {
 public:
  Float8Form(KernelSpecPtr spec, KernelFormPtr plain, int64_t history)
      : KernelForm(std::move(spec)), plain_(std::move(plain)), history_(history) {}

  void add_weights(const WeightAccess& weights) override {
    const auto add = [&](Float8Statistic& statistic, const std::string& name) {
      statistic.scale = weights.add(
          {.shape = {}, .initializer = "ones", .dtype = DType::float32, .name = name + "_scale"});
      statistic.history = weights.add({.shape = {history_},
                                       .initializer = "zeros",
                                       .dtype = DType::float32,
                                       .name = name + "_amax_history"});
      set_overwrite_with_gradient(statistic.scale);
      set_overwrite_with_gradient(statistic.history);
    };
    add(inputs_, "inputs");
    add(kernel_, "kernel");
    add(gradients_, "outputs_grad");
    plain_->add_weights(weights);
  }
  Variables variables() const override {
    return {plain_->variables().front(),
            inputs_.scale,
            inputs_.history,
            kernel_.scale,
            kernel_.history,
            gradients_.scale,
            gradients_.history};
  }
  Tensors encoded(const Tensor& kernel, const QuantizationConfig* config,
                  const InputStatistics* seen) const override {
    return plain_->encoded(kernel, config, seen);
  }

  Tensor value(DType dtype) const override { return plain_->value(dtype); }
  Tensor product(const Tensor& x, DType dtype, bool training) const override {
    return with_rounded_gradient(
        spec_->contraction->times(rounded(x, inputs_, training),
                                  rounded(plain_->value(dtype), kernel_, training)),
        gradients_);
  }
  // Rounded to bfloat16, even if the result is float32.
  Tensor bias(const Variable& bias, DType dtype) const override {
    Tensor value = KernelForm::bias(bias, dtype);
    if (value.dtype() != DType::float32) return value;
    return ops::cast(ops::cast(value, DType::bfloat16), value.dtype());
  }
  bool adapts_products() const override {
    throw NotImplementedError("Layer '{}': float8 cannot be combined with LoRA.", spec_->layer);
  }

 private:
  KernelFormPtr plain_;
  int64_t history_;
  Float8Statistic inputs_;
  Float8Statistic kernel_;
  Float8Statistic gradients_;
};

}  // namespace

KernelFormPtr float8_form(KernelSpecPtr spec, KernelFormPtr plain, int64_t history) {
  return std::make_shared<Float8Form>(std::move(spec), std::move(plain), history);
}

}  // namespace antler
