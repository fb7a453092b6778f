#include "antler/nn/layers/reversible_embedding.h"

#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/mask.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/shape.h"
#include "nn/fields.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/list.h"
#include "nn/quantization/adaptable_kernel.h"
#include "nn/quantization/quantization_fields.h"

namespace antler {

template <class V>
void fields(V& v, ReversibleEmbeddingOptions& o) {
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
  v("tie_weights", o.tie_weights);
  v("reverse_dtype", o.reverse_dtype);
  v("logit_soft_cap", o.logit_soft_cap);
}

ReversibleEmbedding::ReversibleEmbedding(int64_t input_dim, int64_t output_dim,
                                         ReversibleEmbeddingOptions options)
    : ReversibleEmbedding(by_position<&ReversibleEmbeddingOptions::input_dim,
                                      &ReversibleEmbeddingOptions::output_dim>(
          "ReversibleEmbedding", std::move(options), input_dim, output_dim)) {}

ReversibleEmbedding::ReversibleEmbedding(const ReversibleEmbeddingOptions& options)
    : LayerBase("ReversibleEmbedding", base_options(options)),
      options_(options),
      weights_(std::make_shared<AdaptableKernel>()),
      reverse_(std::make_shared<AdaptableKernel>()) {
  check_positive(options_.input_dim, "input_dim");
  check_positive(options_.output_dim, "output_dim");
  set_autocast(false);
  set_supports_masking(options_.mask_zero);
}

void ReversibleEmbedding::build(const Shape&) {
  weights_->name = "embeddings";
  weights_->shape = {options_.input_dim, options_.output_dim};
  weights_->layout = ScaleLayout::of_matrix(1);
  weights_->int4.contracted = 1;
  reverse_->name = "reverse_embeddings";
  reverse_->shape = {options_.output_dim, options_.input_dim};
  reverse_->layout = ScaleLayout::of_matrix(0);
  reverse_->int4.packed = 0;
  reverse_->owns_groups = false;
  const DTypePolicy& policy = dtype_policy();
  check_quantization_mode(*this, policy.quantization_mode);
  if (policy.quantization_mode.empty()) {
    weights_->kernel = add_weight({.name = "embeddings",
                                   .shape = weights_->shape,
                                   .initializer = options_.embeddings_initializer,
                                   .regularizer = options_.embeddings_regularizer,
                                   .constraint = options_.embeddings_constraint});
    if (!options_.tie_weights) {
      reverse_->kernel = add_weight({.name = "reverse_embeddings",
                                     .shape = reverse_->shape,
                                     .initializer = options_.embeddings_initializer});
    }
  } else {
    weights_->config = options_.quantization_config;
    const auto block_size = block_size_of(policy, weights_->config);
    const auto add = [this](const WeightOptions& weight) { return add_weight(weight); };
    weights_->add_quantized(add, policy.quantization_mode, block_size);
    if (!options_.tie_weights) {
      reverse_->add_quantized(add, policy.quantization_mode, block_size);
      reverse_->group_index = weights_->group_index;
    }
  }
  // As Keras, which forgets the alpha here.
  if (options_.lora_rank.value_or(0) > 0) add_lora(*options_.lora_rank, {});
}

void ReversibleEmbedding::enable_lora(int64_t rank, std::optional<double> lora_alpha) {
  weights_->check_lora(built(), options_.embeddings_constraint.given(), "embeddings_constraint");
  check_positive(rank, "rank");
  add_lora(rank, lora_alpha);
}

void ReversibleEmbedding::add_lora(int64_t rank, std::optional<double> lora_alpha) {
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

bool ReversibleEmbedding::can_quantize(const std::string& mode) const {
  return mode == "int8" || mode == "int4";
}

void ReversibleEmbedding::quantize(const QuantizationConfig& config) {
  check_quantize(*this, config);
  const auto add = [this](const WeightOptions& weight) { return add_weight(weight); };
  const auto remove = [this](const Variable& weight) { remove_weight(weight); };
  weights_->quantize(config, add, remove);
  if (!options_.tie_weights) {
    reverse_->quantize(config, add, remove);
    reverse_->group_index = weights_->group_index;
  }
  set_dtype_policy(quantized_policy(*this, config));
}

CallSignature ReversibleEmbedding::call_signature() const {
  return {.inputs = {"inputs"}, .keywords = {"reverse"}};
}

Tensor ReversibleEmbedding::call(const Tensor& input, const CallOptions& options) {
  if (!options.flag("reverse")) {
    const bool is_index = input.dtype() == DType::int32 || input.dtype() == DType::int64;
    const Tensor indices = is_index ? input : ops::cast(input, DType::int32);
    const Tensor vectors = weights_->rows(indices, compute_dtype());
    return options_.mask_zero ? with_keras_mask(vectors, ops::not_equal(input, Tensor(0)))
                              : vectors;
  }
  Tensor result = weights_->is_quantized() ? quantized_logits(input) : logits(input);
  if (!options_.logit_soft_cap) return result;
  const Tensor cap(*options_.logit_soft_cap);
  return ops::tanh(result / cap) * cap;
}

Tensor ReversibleEmbedding::logits(const Tensor& vectors) const {
  Tensor x = vectors;
  Tensor kernel = options_.tie_weights ? ops::transpose(weights_->value(compute_dtype()))
                                       : value_of(reverse_->kernel);
  if (options_.reverse_dtype) {
    x = ops::cast(x, parse_dtype(*options_.reverse_dtype));
    kernel = ops::cast(kernel, x.dtype());
  }
  return ops::tensordot(x, kernel, 1);
}

Tensor ReversibleEmbedding::quantized_logits(const Tensor& vectors) const {
  const DType dtype = compute_dtype();
  const AdaptableKernel& w = options_.tie_weights ? *weights_ : *reverse_;
  std::optional<AbsMaxQuantizer> quantizer = AbsMaxQuantizer();
  if (weights_->config) quantizer = weights_->config->activation_quantizer;
  const auto across = [&](const Tensor& t) { return options_.tie_weights ? ops::transpose(t) : t; };
  const bool grouped = w.zero_point.defined();
  const Tensor kernel = across(grouped ? w.dequantized(dtype) : w.values());
  if (!quantizer) {
    return grouped ? last_axis_product(vectors, kernel)
                   : scaled_product(vectors, kernel, value_of(w.scale), {}, {}, dtype);
  }
  // As Keras: the gradient is that of the vectors' scale alone.
  const Quantized x = (*quantizer)(vectors);
  if (grouped) return last_axis_product(ops::cast(x.values, dtype), kernel) / x.scale;
  return ops::cast(last_axis_product(x.values, kernel), dtype) / (x.scale * value_of(w.scale));
}

Tensor ReversibleEmbedding::compute_mask(const Nest&, const Tensor&) { return {}; }

VariableStore ReversibleEmbedding::save_own_variables() const {
  if (!built()) return {};
  VariableStore store = weights_->save();
  for (const Variable& v : reverse_->stored_variables()) {
    store.emplace_back(std::to_string(store.size()), v.stored());
  }
  return store;
}

void ReversibleEmbedding::load_own_variables(const VariableStore& store) {
  if (!built()) return;
  Variables own = weights_->stored_variables();
  for (const Variable& v : reverse_->stored_variables()) own.push_back(v);
  load_variables(name(), own, store);
  weights_->restart_lora();
}

Json ReversibleEmbedding::get_config() const {
  ReversibleEmbeddingOptions options = options_;
  weights_->describe_lora(options.lora_rank, options.lora_alpha);
  if (weights_->config) options.quantization_config = weights_->config;
  return config_of(*this, options);
}

LayerPtr reversible_embedding_from_config(const Json& config) {
  return ReversibleEmbedding(
             options_from<ReversibleEmbeddingOptions>(config, "ReversibleEmbedding"))
      .share();
}

}  // namespace antler
