#include <utility>

#include <nlohmann/json.hpp>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/dynamic_embedding.h"
#include "antler/nn/layers/vocabulary.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/dynamic_vocabulary.h"

namespace antler {

template <class V>
void fields(V& v, DynamicEmbeddingOptions& o) {
  v("input_dim", o.input_dim);
  v("output_dim", o.output_dim);
  v("input_length", o.input_length);
  v("eviction_policy", o.eviction_policy);
  DynamicVocabularyField vocabulary{o.initial_vocabulary};
  v("initial_vocabulary", vocabulary);
  v("embedding_initializer", o.embedding_initializer);
  v("num_oov_indices", o.num_oov_indices);
}

DynamicEmbedding::DynamicEmbedding(const DynamicEmbeddingOptions& options)
    : LayerOf(options),
      embedding_(options.input_dim + options.num_oov_indices, options.output_dim,
                 {.embeddings_initializer = options.embedding_initializer, .dtype = options.dtype}),
      lookup_(options.input_dim, options.initial_vocabulary,
              {.eviction_policy = options.eviction_policy}) {
  track("embedding_layer", embedding_);
  track("dynamic_lookup_layer", lookup_);
  set_autocast(false);
}

DynamicEmbedding::DynamicEmbedding(int64_t input_dim, int64_t output_dim,
                                   DynamicVocabulary initial_vocabulary,
                                   DynamicEmbeddingOptions options)
    : DynamicEmbedding(
          by_position<&DynamicEmbeddingOptions::input_dim, &DynamicEmbeddingOptions::output_dim,
                      &DynamicEmbeddingOptions::initial_vocabulary>(
              "DynamicEmbedding", std::move(options), input_dim, output_dim,
              std::move(initial_vocabulary))) {}

void DynamicEmbedding::build(const Shape& input_shape) {
  embedding_.ensure_built({input_shape});
  lookup_.ensure_built({input_shape});
}

CallSignature DynamicEmbedding::call_signature() const { return lookup_.call_signature(); }

Tensor DynamicEmbedding::call(const Tensor& input, const CallOptions& options) {
  CallOptions learning;
  learning.set("learn_vocab", options.flag("learn_vocab", true));
  return embedding_(lookup_(input, learning));
}

Json DynamicEmbedding::get_config() const {
  DynamicEmbeddingOptions now = options_;
  now.initial_vocabulary = from_strings(get_vocabulary(), holds_strings(now.initial_vocabulary));
  return config_of(*this, now);
}

void DynamicEmbedding::update_embeddings() {
  const std::vector<std::string> before = get_vocabulary();
  const std::vector<std::string> now = lookup_.get_top_vocabulary(options_.input_dim);
  // The rows of unknown tokens are initialized again, as in Keras 2.
  std::vector<std::string> rows = now;
  rows.resize(static_cast<size_t>(options_.input_dim + options_.num_oov_indices), "UNK");
  const Variable embeddings = embedding_.weights()[0];
  embeddings.store(warmstart_embedding_matrix(before, rows, embeddings.stored(),
                                              options_.embedding_initializer));
  lookup_.set_vocabulary(now);
}

LayerClasses dynamic_embedding_layers() { return layer_classes<DynamicEmbedding>(); }

}  // namespace antler
