#include "antler/nn/layers/reversible_embedding.h"

#include <utility>

#include "antler/nn/mask.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/shape.h"
#include "nn/fields.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, ReversibleEmbeddingOptions& o) {
  v("input_dim", o.input_dim);
  v("output_dim", o.output_dim);
  v("embeddings_initializer", o.embeddings_initializer);
  v("embeddings_regularizer", o.embeddings_regularizer);
  v("activity_regularizer", o.activity_regularizer);
  v("embeddings_constraint", o.embeddings_constraint);
  v("mask_zero", o.mask_zero);
  v.constant("quantization_config", nullptr);
  v("tie_weights", o.tie_weights);
  v("reverse_dtype", o.reverse_dtype);
  v("logit_soft_cap", o.logit_soft_cap);
}

namespace {

ReversibleEmbeddingOptions with_dims(ReversibleEmbeddingOptions options, int64_t input_dim,
                                     int64_t output_dim) {
  options.input_dim = input_dim;
  options.output_dim = output_dim;
  return options;
}

}  // namespace

ReversibleEmbedding::ReversibleEmbedding(int64_t input_dim, int64_t output_dim,
                                         ReversibleEmbeddingOptions options)
    : ReversibleEmbedding(with_dims(std::move(options), input_dim, output_dim)) {}

ReversibleEmbedding::ReversibleEmbedding(const ReversibleEmbeddingOptions& options)
    : LayerBase("ReversibleEmbedding", base_options(options)), options_(options) {
  check_positive(options_.input_dim, "input_dim");
  check_positive(options_.output_dim, "output_dim");
  set_autocast(false);
  set_supports_masking(options_.mask_zero);
}

void ReversibleEmbedding::build(const Shape&) {
  embeddings_ = add_weight({.name = "embeddings",
                            .shape = {options_.input_dim, options_.output_dim},
                            .initializer = options_.embeddings_initializer,
                            .regularizer = options_.embeddings_regularizer,
                            .constraint = options_.embeddings_constraint});
  if (options_.tie_weights) return;
  reverse_embeddings_ = add_weight({.name = "reverse_embeddings",
                                    .shape = {options_.output_dim, options_.input_dim},
                                    .initializer = options_.embeddings_initializer});
}

CallSignature ReversibleEmbedding::call_signature() const {
  return {.inputs = {"inputs"}, .keywords = {"reverse"}};
}

Tensor ReversibleEmbedding::call(const Tensor& input, const CallOptions& options) {
  if (!options.flag("reverse")) {
    const bool is_index = input.dtype() == DType::int32 || input.dtype() == DType::int64;
    const Tensor indices = is_index ? input : ops::cast(input, DType::int32);
    const Tensor vectors = ops::take(value_of(embeddings_), indices, 0);
    return options_.mask_zero ? with_keras_mask(vectors, ops::not_equal(input, Tensor(0)))
                              : vectors;
  }
  Tensor x = input;
  Tensor kernel =
      options_.tie_weights ? ops::transpose(value_of(embeddings_)) : value_of(reverse_embeddings_);
  if (options_.reverse_dtype) {
    x = ops::cast(x, parse_dtype(*options_.reverse_dtype));
    kernel = ops::cast(kernel, x.dtype());
  }
  const Tensor logits = ops::tensordot(x, kernel, 1);
  if (!options_.logit_soft_cap) return logits;
  const Tensor cap(*options_.logit_soft_cap);
  return ops::tanh(logits / cap) * cap;
}

Tensor ReversibleEmbedding::compute_mask(const Nest&, const Tensor&) { return {}; }

Json ReversibleEmbedding::get_config() const { return config_of(*this, options_); }

LayerPtr reversible_embedding_from_config(const Json& config) {
  return ReversibleEmbedding(
             options_from<ReversibleEmbeddingOptions>(config, "ReversibleEmbedding"))
      .share();
}

}  // namespace antler
