#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/shape.h"
#include "nn/einsum.h"
#include "nn/fields.h"
#include "nn/layers/adaptable_kernel.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/einsum_quantization.h"
#include "nn/layers/einsum_shapes.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, EinsumDenseOptions& o) {
  v("output_shape", o.output_shape);
  v("equation", o.equation);
  v("activation", o.activation);
  v("bias_axes", o.bias_axes);
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v("kernel_regularizer", o.kernel_regularizer);
  v("bias_regularizer", o.bias_regularizer);
  v("activity_regularizer", o.activity_regularizer);
  v("kernel_constraint", o.kernel_constraint);
  v("bias_constraint", o.bias_constraint);
  v.constant("quantization_config", nullptr);
  v.when_given("lora_rank", o.lora_rank);
  v.when_given("lora_alpha", o.lora_alpha);
}

namespace {

EinsumDenseOptions with_equation(EinsumDenseOptions options, std::string equation,
                                 Shape output_shape) {
  options.equation = std::move(equation);
  options.output_shape = std::move(output_shape);
  return options;
}

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
    throw ValueError("Invalid einsum equation '" + equation +
                     "'. Equations must be in the form [X],[Y]->[Z], ...[X],[Y]->...[Z], or "
                     "[X]...,[Y]->[Z]....");
  }

  const int open = input_shape.rank() - static_cast<int>(input.size());
  if (open < 0 || (open > 0 && !left && !right)) {
    throw ValueError("EinsumDense: the equation '" + equation +
                     "' does not fit an input of shape " + input_shape.str() + ".");
  }
  // The whole output: the batch, what "..." stands for, and the given sizes.
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
  // Keras looks at the sizes that have a letter only.
  if (full.rank() < skipped + static_cast<int>(output.size())) {
    throw ValueError("EinsumDense: the output shape " + output_shape.str() +
                     " does not fit the equation '" + equation + "' and the input shape " +
                     input_shape.str() + ".");
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
      throw ValueError("Input shape and output shape do not match at shared dimension '" +
                       std::string(1, c) + "'. Input shape is " + std::to_string(size_in_input(c)) +
                       ", and output shape is " + std::to_string(size_in_output(c)) + ".");
    }
  }
  for (char c : output) {
    if (!has(input, c) && !has(kernel, c)) {
      throw ValueError("Dimension '" + std::string(1, c) + "' was specified in the output '" +
                       output + "' but has no corresponding dim in the input spec '" + input +
                       "' or weight spec '" + kernel + "'");
    }
  }
  EinsumShapes shapes;
  for (char c : kernel) {
    if (!has(output, c) && !has(input, c)) {
      throw ValueError("Weight dimension '" + std::string(1, c) +
                       "' did not have a match in either the input spec '" + input +
                       "' or the output spec '" + output +
                       "'. For this layer, the weight must be fully specified.");
    }
    shapes.kernel.push_back(has(output, c) ? size_in_output(c) : size_in_input(c));
  }
  if (!bias_axes) return shapes;
  size_t first = output.size();
  for (char c : *bias_axes) {
    if (!has(output, c)) {
      throw ValueError("Bias dimension '" + std::string(1, c) +
                       "' was requested, but is not part of the output spec '" + output + "'");
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
    : EinsumDense(with_equation(std::move(options), std::move(equation), std::move(output_shape))) {
}

EinsumDense::EinsumDense(const EinsumDenseOptions& options)
    : LayerBase("EinsumDense", base_options(options)),
      options_(options),
      weights_(std::make_shared<AdaptableKernel>()) {}

void EinsumDense::build(const Shape& input_shape) {
  const EinsumShapes shapes =
      einsum_shapes(options_.equation, options_.bias_axes, input_shape, options_.output_shape);
  if (!shapes.kernel.is_known()) {
    throw ValueError(
        "EinsumDense: the sizes of the kernel's dimensions must be known. Received: "
        "input_shape=" +
        input_shape.str() + ", equation='" + options_.equation + "'");
  }
  weights_->input_rank = input_shape.rank();
  if (dtype_policy().quantization_mode.empty()) {
    weights_->kernel = add_weight({.name = "kernel",
                                   .shape = shapes.kernel,
                                   .initializer = options_.kernel_initializer,
                                   .regularizer = options_.kernel_regularizer,
                                   .constraint = options_.kernel_constraint});
  } else {
    add_quantized(shapes.kernel, input_shape.rank());
  }
  if (shapes.bias) {
    weights_->bias = add_weight({.name = "bias",
                                 .shape = *shapes.bias,
                                 .initializer = options_.bias_initializer,
                                 .regularizer = options_.bias_regularizer,
                                 .constraint = options_.bias_constraint});
  }
  set_input_spec({.ndim = input_shape.rank()});
  if (options_.lora_rank.value_or(0) > 0) add_lora(*options_.lora_rank, options_.lora_alpha);
}

void EinsumDense::enable_lora(int64_t rank, std::optional<double> lora_alpha) {
  weights_->check_lora(built(), options_.kernel_constraint.given(), "kernel_constraint");
  check_positive(rank, "rank");
  add_lora(rank, lora_alpha);
}

void EinsumDense::add_lora(int64_t rank, std::optional<double> lora_alpha) {
  if (weights_->is_quantized() && !einsum_quantization(options_.equation, 0).keeps_order) {
    throw NotImplementedError(
        "EinsumDense: LoRA on a quantized kernel needs the kernel's dimensions in the order of the "
        "output's. Received: equation='" +
        options_.equation + "'");
  }
  Shape a = weights_->kernel.shape();
  const int64_t last = a.back();
  a[a.rank() - 1] = rank;
  weights_->lora_a = add_weight({.name = "lora_kernel_a",
                                 .shape = a,
                                 .initializer = "he_uniform",
                                 .dtype = DType::float32,
                                 .regularizer = options_.kernel_regularizer});
  weights_->lora_b = add_weight({.name = "lora_kernel_b",
                                 .shape = {rank, last},
                                 .initializer = "zeros",
                                 .dtype = DType::float32,
                                 .regularizer = options_.kernel_regularizer});
  weights_->start_lora(rank, lora_alpha);
}

void EinsumDense::add_quantized(const Shape& kernel, int input_rank) {
  const EinsumQuantization q = einsum_quantization(options_.equation, input_rank);
  Shape kept = kernel;
  for (const int64_t axis : q.kernel.reduced) kept[static_cast<int>(axis)] = 1;
  weights_->kernel = add_weight({.name = "kernel",
                                 .shape = kernel,
                                 .initializer = "zeros",
                                 .dtype = DType::int8,
                                 .trainable = false});
  weights_->scale = add_weight({.name = "kernel_scale",
                                .shape = q.kernel.apply(ops::ones(kept)).shape(),
                                .initializer = "ones",
                                .trainable = false});
  weights_->scale_axes = q.kernel.reduced;
}

void EinsumDense::quantize(const std::string& mode) {
  check_quantize(*this, mode);
  const ir::TraceSuspension suspension;
  const int rank = weights_->input_rank;
  const EinsumQuantization q = einsum_quantization(options_.equation, rank);
  const Variable old = weights_->kernel;
  const Quantized values = quantize_abs_max(old.stored(), q.kernel.reduced);
  remove_weight(old);
  add_quantized(old.shape(), rank);
  weights_->kernel.store(values.values);
  weights_->scale.store(ops::cast(q.kernel.apply(values.scale), weights_->scale.dtype()));
  set_dtype_policy(DTypePolicy::parse("int8_from_" + dtype_policy().name));
}

Tensor EinsumDense::quantized_product(const Tensor& input) const {
  const DType dtype = compute_dtype();
  const std::string equation = options_.equation;
  const EinsumQuantization q = einsum_quantization(options_.equation, input.rank());
  const Tensor kernel = weights_->kernel.value();
  const Tensor scale = ops::cast(weights_->scale.value(), dtype);
  // The gradient is that of the product with the float kernel.
  return custom_gradient(
      [=](const Tensors& x) -> Tensors {
        const Quantized values = quantize_abs_max(x[0], q.input.reduced);
        const Tensor product = einsum(equation, ops::cast(values.values, DType::int32),
                                      ops::cast(kernel, DType::int32));
        return {ops::cast(product, dtype) / (q.input.apply(values.scale) * scale)};
      },
      [=](const Tensors&, const Tensors&, const Tensors& gradients) -> Tensors {
        return {einsum(q.gradient, gradients[0] / scale, ops::cast(kernel, dtype))};
      },
      {input})[0];
}

Tensor EinsumDense::call(const Tensor& input, const CallOptions&) {
  Tensor x;
  if (weights_->is_quantized()) {
    x = quantized_product(input);
    if (weights_->has_lora()) {
      const Tensor inner = einsum(options_.equation, input, weights_->lora_a.value());
      const Tensor update = ops::tensordot(inner, weights_->lora_b.value(), 1);
      x = ops::cast(x + update * Tensor(weights_->lora_factor()), compute_dtype());
    }
  } else {
    x = einsum(options_.equation, input, weights_->value(compute_dtype()));
  }
  if (weights_->bias.defined()) x = x + value_of(weights_->bias);
  return options_.activation(x);
}

VariableStore EinsumDense::save_own_variables() const {
  return built() ? weights_->save() : VariableStore();
}

void EinsumDense::load_own_variables(const VariableStore& store) {
  if (built()) weights_->load(name(), store);
}

Json EinsumDense::get_config() const {
  EinsumDenseOptions options = options_;
  weights_->describe_lora(options.lora_rank, options.lora_alpha);
  Json config = config_of(*this, options);
  for (auto& item : config["output_shape"]) {
    if (item == -1) item = nullptr;
  }
  return config;
}

LayerPtr einsum_dense_from_config(const Json& config) {
  Json known = config;
  if (known.contains("output_shape") && known["output_shape"].is_array()) {
    for (auto& item : known["output_shape"]) {
      if (item.is_null()) item = -1;
    }
  }
  return EinsumDense(options_from<EinsumDenseOptions>(known, "EinsumDense")).share();
}

}  // namespace antler
