#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/elementwise.h"
#include "nn/fields.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/list.h"
#include "nn/quantization/adaptable_kernel.h"
#include "nn/quantization/quantization_fields.h"

namespace antler {

template <class V>
void fields(V& v, EmbeddingOptions& o) {
  v.required("input_dim", o.input_dim);
  v.required("output_dim", o.output_dim);
  v("embeddings_initializer", o.embeddings_initializer);
  v("embeddings_regularizer", o.embeddings_regularizer);
  v("activity_regularizer", o.activity_regularizer);
  v("embeddings_constraint", o.embeddings_constraint);
  v("mask_zero", o.mask_zero);
  v("quantization_config", o.quantization_config);
  v.when_given("lora_rank", o.lora_rank);
  v.when_given("lora_alpha", o.lora_alpha);
  v.legacy("input_length", o.input_length);
}

namespace {

void check_dim(int64_t value, const char* what) {
  if (value > 0) return;
  throw ValueError("`" + std::string(what) + "` must be a positive integer. Received: " + what +
                   "=" + std::to_string(value) + ".");
}

/// Throws IndexError for an index of no row, where indices are known: inside of programs nobody
/// looks.
void check_indices(const Layer& layer, const Tensor& indices, int64_t rows) {
  if (!indices.is_value() || indices.size() == 0) return;
  const auto check = [&](const auto* values) {
    const auto [low, high] = std::minmax_element(values, values + indices.size());
    if (*low >= -rows && *high < rows) return;
    throw IndexError("Layer \"" + layer.name() + "\": the index " +
                     std::to_string(*high < rows ? *low : *high) + " is not in [0, " +
                     std::to_string(rows) + ").");
  };
  if (indices.dtype() == DType::int32) {
    check(indices.data<int32_t>());
  } else {
    check(indices.data<int64_t>());
  }
}

}  // namespace

Embedding::Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options)
    : Embedding(by_position<&EmbeddingOptions::input_dim, &EmbeddingOptions::output_dim>(
          "Embedding", std::move(options), input_dim, output_dim)) {}

Embedding::Embedding(const EmbeddingOptions& options)
    : LayerBase("Embedding", base_options(options)),
      options_(options),
      weights_(std::make_shared<AdaptableKernel>()) {
  check_dim(options_.input_dim, "input_dim");
  check_dim(options_.output_dim, "output_dim");
  set_autocast(false);
  set_supports_masking(options_.mask_zero);
}

void Embedding::build(const Shape&) {
  weights_->name = "embeddings";
  weights_->shape = {options_.input_dim, options_.output_dim};
  weights_->layout = ScaleLayout::of_matrix(1);
  weights_->int4.contracted = 1;
  const DTypePolicy& policy = dtype_policy();
  check_quantization_mode(*this, policy.quantization_mode);
  if (policy.quantization_mode.empty()) {
    weights_->kernel = add_weight({.name = "embeddings",
                                   .shape = {options_.input_dim, options_.output_dim},
                                   .initializer = options_.embeddings_initializer,
                                   .regularizer = options_.embeddings_regularizer,
                                   .constraint = options_.embeddings_constraint});
  } else {
    weights_->config = options_.quantization_config;
    weights_->add_quantized([this](const WeightOptions& weight) { return add_weight(weight); },
                            policy.quantization_mode, block_size_of(policy, weights_->config));
  }
  // As Keras, which forgets the alpha here.
  if (options_.lora_rank.value_or(0) > 0) add_lora(*options_.lora_rank, {});
}

void Embedding::enable_lora(int64_t rank, std::optional<double> lora_alpha) {
  weights_->check_lora(built(), options_.embeddings_constraint.given(), "embeddings_constraint");
  check_positive(rank, "rank");
  add_lora(rank, lora_alpha);
}

void Embedding::add_lora(int64_t rank, std::optional<double> lora_alpha) {
  weights_->lora_a = add_weight({.name = "lora_embeddings_a",
                                 .shape = {options_.input_dim, rank},
                                 .initializer = "he_uniform",
                                 .dtype = DType::float32,
                                 .regularizer = options_.embeddings_regularizer});
  weights_->lora_b = add_weight({.name = "lora_embeddings_b",
                                 .shape = {rank, options_.output_dim},
                                 .initializer = "zeros",
                                 .dtype = DType::float32,
                                 .regularizer = options_.embeddings_regularizer});
  weights_->start_lora(rank, lora_alpha);
}

bool Embedding::can_quantize(const std::string& mode) const {
  return mode == "int8" || mode == "int4";
}

void Embedding::quantize(const QuantizationConfig& config) {
  check_quantize(*this, config);
  weights_->quantize(
      config, [this](const WeightOptions& weight) { return add_weight(weight); },
      [this](const Variable& weight) { remove_weight(weight); });
  set_dtype_policy(quantized_policy(*this, config));
}

Tensor Embedding::call(const Tensor& input, const CallOptions&) {
  const bool is_index = input.dtype() == DType::int32 || input.dtype() == DType::int64;
  const Tensor indices = is_index ? input : ops::cast(input, DType::int32);
  check_indices(*this, indices, options_.input_dim);
  return weights_->rows(indices, compute_dtype());
}

Tensor Embedding::compute_mask(const Nest& inputs, const Tensor&) {
  if (!options_.mask_zero) return {};
  return ops::not_equal(inputs.tensor(), Tensor(0));
}

VariableStore Embedding::save_own_variables() const {
  return built() ? weights_->save() : VariableStore();
}

void Embedding::load_own_variables(const VariableStore& store) {
  if (built()) weights_->load(name(), store);
}

Json Embedding::get_config() const {
  EmbeddingOptions options = options_;
  weights_->describe_lora(options.lora_rank, options.lora_alpha);
  if (weights_->config) options.quantization_config = weights_->config;
  return config_of(*this, options);
}

LayerPtr embedding_from_config(const Json& config) {
  return Embedding(options_from<EmbeddingOptions>(config, "Embedding")).share();
}

}  // namespace antler
