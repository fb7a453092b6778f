#include <utility>

#include "antler/base/error.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/shape.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, EmbeddingOptions& o) {
  v("input_dim", o.input_dim);
  v("output_dim", o.output_dim);
  v("embeddings_initializer", o.embeddings_initializer);
  v("embeddings_regularizer", o.embeddings_regularizer);
  v("activity_regularizer", o.activity_regularizer);
  v("embeddings_constraint", o.embeddings_constraint);
  v("mask_zero", o.mask_zero);
  v.constant("quantization_config", nullptr);
}

namespace {

EmbeddingOptions with_sizes(EmbeddingOptions options, int64_t input_dim, int64_t output_dim) {
  options.input_dim = input_dim;
  options.output_dim = output_dim;
  return options;
}

}  // namespace

Embedding::Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options)
    : Embedding(with_sizes(std::move(options), input_dim, output_dim)) {}

Embedding::Embedding(const EmbeddingOptions& options)
    : LayerBase("Embedding", base_options(options)), options_(options) {
  if (options_.input_dim <= 0 || options_.output_dim <= 0) {
    throw ValueError(
        "Embedding: `input_dim` and `output_dim` must be positive. Received: input_dim=" +
        std::to_string(options_.input_dim) + ", output_dim=" + std::to_string(options_.output_dim));
  }
  set_autocast(false);
  set_supports_masking(true);
}

void Embedding::build(const Shape&) {
  embeddings_ = add_weight({.name = "embeddings",
                            .shape = {options_.input_dim, options_.output_dim},
                            .initializer = options_.embeddings_initializer,
                            .regularizer = options_.embeddings_regularizer,
                            .constraint = options_.embeddings_constraint});
}

Tensor Embedding::call(const Tensor& input, const CallOptions&) {
  const Tensor indices = is_integer(input.dtype()) ? input : ops::cast(input, DType::int32);
  return ops::take(value_of(embeddings_), indices, 0);
}

Tensor Embedding::compute_mask(const Nest& inputs, const Tensor&) {
  if (!options_.mask_zero) return {};
  return ops::not_equal(inputs.tensor(), Tensor(0));
}

Json Embedding::get_config() const { return config_of(*this, options_); }

LayerPtr embedding_from_config(const Json& config) {
  return Embedding(options_from<EmbeddingOptions>(config, "Embedding")).share();
}

}  // namespace antler
