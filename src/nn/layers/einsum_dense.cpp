#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/products.h"
#include "antler/ops/shape.h"
#include "nn/fields.h"
#include "nn/initializers/with_axes.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/einsum_shapes.h"
#include "nn/layers/list.h"
#include "nn/quantization/adaptable_kernel.h"
#include "nn/quantization/einsum_quantization.h"
#include "nn/quantization/quantization_fields.h"

namespace antler {

template <class V>
void fields(V& v, EinsumDenseOptions& o) {
  v.required("output_shape", o.output_shape);
  v.required("equation", o.equation);
  v("activation", o.activation);
  v("bias_axes", o.bias_axes);
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v("kernel_regularizer", o.kernel_regularizer);
  v("bias_regularizer", o.bias_regularizer);
  v("activity_regularizer", o.activity_regularizer);
  v("kernel_constraint", o.kernel_constraint);
  v("bias_constraint", o.bias_constraint);
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
    (has(output, c) ? shapes.output_axes : shapes.input_axes).push_back(shapes.kernel.rank());
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
    : EinsumDense(by_position<&EinsumDenseOptions::equation, &EinsumDenseOptions::output_shape>(
          "EinsumDense", std::move(options), std::move(equation), std::move(output_shape))) {}

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
  set_layout(shapes.kernel, input_shape.rank());
  const DTypePolicy& policy = dtype_policy();
  const auto add = [this](const WeightOptions& weight) { return add_weight(weight); };
  if (policy.quantization_mode == "float8") weights_->float8.add(add, policy.amax_history_length);
  if (keeps_kernel(policy)) {
    weights_->kernel = add_weight({.name = "kernel",
                                   .shape = shapes.kernel,
                                   .initializer = with_axes(options_.kernel_initializer,
                                                            shapes.input_axes, shapes.output_axes),
                                   .regularizer = options_.kernel_regularizer,
                                   .constraint = options_.kernel_constraint});
  } else {
    weights_->config = options_.quantization_config;
    weights_->add_quantized(add, policy);
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
  Shape a = weights_->shape;
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

void EinsumDense::set_layout(const Shape& kernel, int input_rank) {
  weights_->shape = kernel;
  weights_->layout = einsum_quantization(options_.equation, input_rank).kernel;
  Shape matrix{1, 1};
  for (int i = 0; i < kernel.rank(); ++i) {
    const auto& rows = weights_->layout.reduced;
    matrix[std::find(rows.begin(), rows.end(), i) == rows.end() ? 1 : 0] *= kernel[i];
  }
  weights_->int4.shape = matrix;
  // Keras's files of GPTQ and AWQ: the longest of three dimensions says which of them are inputs.
  CalibratedKernel& calibrated = weights_->calibrated;
  calibrated.zero_name = "zero_point";
  calibrated.inputs = 0;
  if ((kernel.rank() != 2 && kernel.rank() != 3) || kernel.num_elements() == 0) return;
  const bool first_only = kernel.rank() == 2 || (kernel[0] >= kernel[1] && kernel[0] >= kernel[2]);
  calibrated.inputs = first_only ? kernel[0] : kernel[0] * kernel[1];
  calibrated.outputs = kernel.num_elements() / calibrated.inputs;
}

bool EinsumDense::can_quantize(const std::string& mode) const {
  return mode == "int8" || mode == "int4" || mode == "float8" || mode == "gptq" || mode == "awq";
}

void EinsumDense::quantize(const QuantizationConfig& config) {
  check_quantize(*this, config);
  weights_->quantize(
      config, [this](const WeightOptions& weight) { return add_weight(weight); },
      [this](const Variable& weight) { remove_weight(weight); });
  set_dtype_policy(quantized_policy(*this, config));
}

Tensor EinsumDense::product(const Tensor& input, bool training) const {
  const DType dtype = compute_dtype();
  const AdaptableKernel& w = *weights_;
  const std::string& equation = options_.equation;
  const auto times = [&](const Tensor& x, const Tensor& kernel) {
    return ops::einsum(equation, {x, kernel});
  };
  if (w.inputs_seen != nullptr) {
    const int summed = w.calibrated.inputs == w.shape[0] ? 1 : 2;
    if (const auto axes = contracted_last(equation, input.rank(), summed)) {
      w.inputs_seen->see(ops::transpose(input, *axes));
    }
  }
  if (w.calibrated.defined()) {
    return times(input, ops::reshape(w.calibrated.value(dtype), w.shape));
  }
  if (w.float8.defined()) {
    if (w.has_lora()) throw NotImplementedError("Layer '" + name() + "': float8 and LoRA.");
    return w.float8.product(input, value_of(w.kernel), training, times);
  }
  if (!w.is_quantized()) return times(input, w.value(dtype));
  const std::optional<AbsMaxQuantizer> quantizer = w.inputs_quantizer();
  Tensor x = quantizer ? quantized_product(input, *quantizer) : times(input, w.dequantized(dtype));
  if (!w.has_lora()) return x;
  const Tensor update = ops::tensordot(times(input, w.lora_a.value()), w.lora_b.value(), 1);
  return ops::cast(x + update * Tensor(w.lora_factor()), dtype);
}

Tensor EinsumDense::quantized_product(const Tensor& input, const AbsMaxQuantizer& quantizer) const {
  const DType dtype = compute_dtype();
  const std::string equation = options_.equation;
  const EinsumQuantization q = einsum_quantization(equation, input.rank());
  const bool is_int8 = !weights_->is_int4();
  const std::shared_ptr<AdaptableKernel> weights = weights_;
  // Sums of int8 products are exact; in floats, which are fast, where those can hold them.
  int64_t terms = 1;
  for (const int64_t axis : q.input.reduced) terms *= input.shape()[static_cast<int>(axis)];
  const DType exact = terms <= kExactTerms ? DType::float32 : DType::int32;
  const Tensor kernel =
      is_int8 ? ops::cast(weights_->values(), exact) : weights_->dequantized(dtype);
  const Tensor scale = is_int8 ? value_of(weights_->scale) : ops::ones({}, dtype);
  // The gradient is that of the product with the float kernel.
  return custom_gradient(
      [=](const Tensors& x) -> Tensors {
        const Quantized values = quantizer(x[0], AxisList(q.input.reduced));
        const Tensor product =
            ops::einsum(equation, {ops::cast(values.values, kernel.dtype()), kernel});
        return {ops::cast(product, dtype) / (q.input.apply(values.scale) * scale)};
      },
      [=](const Tensors&, const Tensors&, const Tensors& gradients) -> Tensors {
        return {ops::einsum(q.gradient, {gradients[0], weights->dequantized(dtype)})};
      },
      {input})[0];
}

Tensor EinsumDense::call(const Tensor& input, const CallOptions& options) {
  Tensor x = product(input, options.training.value_or(false));
  if (weights_->bias.defined()) {
    const Tensor bias = value_of(weights_->bias);
    x = x + (weights_->float8.defined() ? float8_bias(bias) : bias);
  }
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
  if (weights_->config) options.quantization_config = weights_->config;
  if (dtype_policy().quantization_mode == "gptq" && weights_->calibrated.defined()) {
    options.gptq_unpacked_column_size = weights_->calibrated.outputs;
  }
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
