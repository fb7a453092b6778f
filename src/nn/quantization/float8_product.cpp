#include "nn/quantization/float8_product.h"

#include <string>

#include "antler/autodiff/gradient_tape.h"
#include "antler/core/overwrite_with_gradient.h"
#include "antler/nn/quantizers.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/reduce.h"

namespace antler {
namespace {

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

}  // namespace

void Float8Scales::add(const std::function<Variable(const WeightOptions&)>& add_weight,
                       int64_t length) {
  const auto add = [&](Float8Statistic& statistic, const std::string& name) {
    statistic.scale = add_weight(
        {.name = name + "_scale", .shape = {}, .initializer = "ones", .dtype = DType::float32});
    statistic.history = add_weight({.name = name + "_amax_history",
                                    .shape = {length},
                                    .initializer = "zeros",
                                    .dtype = DType::float32});
    set_overwrite_with_gradient(statistic.scale);
    set_overwrite_with_gradient(statistic.history);
  };
  add(inputs, "inputs");
  add(kernel, "kernel");
  add(gradients, "outputs_grad");
}

Tensor Float8Scales::product(
    const Tensor& x, const Tensor& w, bool training,
    const std::function<Tensor(const Tensor&, const Tensor&)>& product) const {
  return with_rounded_gradient(product(rounded(x, inputs, training), rounded(w, kernel, training)),
                               gradients);
}

Tensor float8_bias(const Tensor& bias) {
  if (bias.dtype() != DType::float32) return bias;
  return ops::cast(ops::cast(bias, DType::bfloat16), bias.dtype());
}

}  // namespace antler
