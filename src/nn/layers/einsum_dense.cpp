#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "nn/initializers/with_axes.h"
#include "nn/layers/classes.h"
#include "nn/layers/einsum_shapes.h"
#include "nn/layers/weight_fields.h"
#include "nn/quantization/einsum_contraction.h"
#include "nn/quantization/layer_kernel.h"
#include "nn/quantization/quantization_fields.h"

namespace antler {

template <class V>
void fields(V& v, EinsumDenseOptions& o) {
  v.required("output_shape", o.output_shape);
  v.required("equation", o.equation);
  v("activation", o.activation);
  v("bias_axes", o.bias_axes);
  kernel_and_bias_fields(v, o);
  v("quantization_config", o.quantization_config);
  v.when_given("lora_rank", o.lora_rank);
  v.when_given("lora_alpha", o.lora_alpha);
  v.when_given("gptq_unpacked_column_size", o.gptq_unpacked_column_size);
}

namespace {

bool all_letters(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

EinsumShapes einsum_shapes(const std::string& equation, const std::optional<std::string>& bias_axes,
                           const Shape& input_shape, const Shape& output_shape) {
  const size_t comma = equation.find(',');
  const size_t arrow = equation.find("->");
  std::string input = equation.substr(0, comma);
  std::string kernel;
  std::string output;
  if (comma != std::string::npos && arrow != std::string::npos && comma < arrow) {
    kernel = equation.substr(comma + 1, arrow - comma - 1);
    output = equation.substr(arrow + 2);
  }
  const bool left = input.starts_with("...") && output.starts_with("...");
  const bool right = !left && input.ends_with("...") && output.ends_with("...");
  if (left) {
    input = input.substr(3);
    output = output.substr(3);
  } else if (right) {
    input = input.substr(0, input.size() - 3);
    output = output.substr(0, output.size() - 3);
  }
  if (!all_letters(input) || !all_letters(kernel) || !all_letters(output)) {
    throw ValueError(
        "Invalid einsum equation '{}'. Equations must be in the form [X],[Y]->[Z], "
        "...[X],[Y]->...[Z], or [X]...,[Y]->[Z]....",
        equation);
  }

  const int open = input_shape.rank() - static_cast<int>(input.size());
  if (open < 0 || (open > 0 && !left && !right)) {
    throw ValueError("EinsumDense: the equation '{}' does not fit an input of shape {}.", equation,
                     input_shape);
  }
  // The full shape of the output: the batch, the dimensions of "...", and the given sizes.
  Shape full{input_shape[0]};
  if (left) {
    for (int i = 1; i < open; ++i) full.push_back(input_shape[i]);
  }
  for (int64_t d : output_shape) full.push_back(d);
  if (right) {
    for (int i = input_shape.rank() - open; i < input_shape.rank(); ++i)
      full.push_back(input_shape[i]);
  }
  const int skipped = left ? open : 0;
  // Keras checks only dimensions with a letter.
  if (full.rank() < skipped + static_cast<int>(output.size())) {
    throw ValueError(
        "EinsumDense: the output shape {} does not fit the equation '{}' and the input shape {}.",
        output_shape, equation, input_shape);
  }
  const auto size_in_input = [&](char c) {
    return input_shape[skipped + static_cast<int>(input.find(c))];
  };
  const auto size_in_output = [&](char c) {
    return full[skipped + static_cast<int>(output.find(c))];
  };
  const auto has = [](const std::string& labels, char c) {
    return labels.find(c) != std::string::npos;
  };
  for (char c : input) {
    if (has(output, c) && size_in_output(c) != Shape::kUnknown &&
        size_in_output(c) != size_in_input(c)) {
      throw ValueError(
          "Input shape and output shape do not match at shared dimension '{}'. Input shape is {}, "
          "and output shape is {}.",
          c, size_in_input(c), size_in_output(c));
    }
  }
  for (char c : output) {
    if (!has(input, c) && !has(kernel, c)) {
      throw ValueError(
          "Dimension '{}' was specified in the output '{}' but has no corresponding dim in the "
          "input spec '{}' or weight spec '{}'",
          c, output, input, kernel);
    }
  }
  EinsumShapes shapes;
  for (char c : kernel) {
    if (!has(output, c) && !has(input, c)) {
      throw ValueError(
          "Weight dimension '{}' did not have a match in either the input spec '{}' or the output "
          "spec '{}'. For this layer, the weight must be fully specified.",
          c, input, output);
    }
    (has(output, c) ? shapes.output_axes : shapes.input_axes).push_back(shapes.kernel.rank());
    shapes.kernel.push_back(has(output, c) ? size_in_output(c) : size_in_input(c));
  }
  if (!bias_axes) return shapes;
  size_t first = output.size();
  for (char c : *bias_axes) {
    if (!has(output, c)) {
      throw ValueError("Bias dimension '{}' was requested, but is not part of the output spec '{}'",
                       c, output);
    }
    first = std::min(first, output.find(c));
  }
  shapes.bias.emplace();
  for (size_t i = first; i < output.size(); ++i) {
    shapes.bias->push_back(has(*bias_axes, output[i]) ? size_in_output(output[i]) : 1);
  }
  for (int i = 0; right && i < open; ++i) shapes.bias->push_back(1);
  return shapes;
}

EinsumDense::EinsumDense(std::string equation, Shape output_shape, EinsumDenseOptions options)
    : EinsumDense(by_position<&EinsumDenseOptions::equation, &EinsumDenseOptions::output_shape>(
          "EinsumDense", std::move(options), std::move(equation), std::move(output_shape))) {}

EinsumDense::EinsumDense()
    : EinsumDense(
          EinsumDenseOptions{.equation = "ab,bc->ac", .output_shape = {1}, .name = kUnassigned}) {
  set_unassigned();
}
EinsumDense::EinsumDense(const EinsumDenseOptions& options) : LayerOf(options) {}

void EinsumDense::build(const Shape& input_shape) {
  const EinsumShapes shapes =
      einsum_shapes(options_.equation, options_.bias_axes, input_shape, options_.output_shape);
  if (!shapes.kernel.is_known()) {
    throw ValueError(
        "EinsumDense: the sizes of the kernel's dimensions must be known. Received: "
        "input_shape={}, equation='{}'",
        input_shape, options_.equation);
  }
  KernelSpec spec{.weight = {.shape = shapes.kernel,
                             .initializer = with_axes(options_.kernel_initializer,
                                                      shapes.input_axes, shapes.output_axes),
                             .regularizer = options_.kernel_regularizer,
                             .constraint = options_.kernel_constraint,
                             .name = "kernel"},
                  .config = options_.quantization_config};
  use_in_einsum(spec, options_.equation, input_shape.rank());
  build_kernel(*kernel_, spec);
  if (shapes.bias) kernel_->set_bias(add_weight(bias_weight(options_, *shapes.bias)));
  set_input_spec({.ndim = input_shape.rank()});
  add_lora(options_.lora_rank, {.lora_alpha = options_.lora_alpha});
}

Tensor EinsumDense::call(const Tensor& input, const CallOptions& options) {
  Tensor x = kernel_->product(input, compute_dtype(), options.training.value_or(false));
  if (options_.bias_axes) x = x + kernel_->bias(compute_dtype());
  return options_.activation(x);
}

Json EinsumDense::get_config() const {
  Json config = config_of(*this, kernel_->described(options_));
  for (auto& item : config["output_shape"]) {
    if (item == -1) item = nullptr;
  }
  return config;
}

namespace {

LayerPtr einsum_dense_from_config(const Json& config) {
  Json known = config;
  if (known.contains("output_shape") && known["output_shape"].is_array()) {
    for (auto& item : known["output_shape"]) {
      if (item.is_null()) item = -1;
    }
  }
  return EinsumDense(options_from<EinsumDenseOptions>(known, "EinsumDense")).share();
}

}  // namespace

LayerClasses einsum_dense_layers() {
  static constexpr LayerClass kClasses[] = {layer_class<EinsumDense>(einsum_dense_from_config)};
  return kClasses;
}

}  // namespace antler
