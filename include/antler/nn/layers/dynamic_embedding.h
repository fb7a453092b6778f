#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/core.h"

/// Layers of Keras 2 (keras.layers.experimental) that learn a vocabulary while they are called.
namespace antler {

namespace ops {
class HostFunction;
}

/// Strings or integers.
using DynamicVocabulary = std::variant<std::vector<std::string>, std::vector<int64_t>>;

/// Options of DynamicLookup.
struct DynamicLookupOptions {
  int64_t vocabulary_size = 0;                ///< number of tokens
  DynamicVocabulary initial_vocabulary = {};  ///< tokens to start with; required
  std::string eviction_policy = "LFU";        ///< the only one: least frequently used
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Index of each token in the vocabulary, int64; `vocabulary_size` for unknown tokens. A call
/// counts each of its tokens once, in a table of 1.2 times the vocabulary's size. New tokens
/// replace those counted least. Only set_vocabulary() changes the vocabulary itself;
/// DynamicEmbedding calls it.
///
/// The call's argument "learn_vocab" (default true) says whether to count. -1 and empty strings are
/// not tokens. A configuration, and so a file, holds the current vocabulary.
class DynamicLookup : public LayerOf<DynamicLookup, DynamicLookupOptions> {
 public:
  /// Throws ValueError for a size below 1, an empty vocabulary, more tokens than the table holds,
  /// or another policy.
  explicit DynamicLookup(const DynamicLookupOptions& options);
  DynamicLookup(int64_t vocabulary_size, DynamicVocabulary initial_vocabulary,
                DynamicLookupOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(DynamicLookup, DynamicLookupOptions, int64_t, DynamicVocabulary)
  Tensor call(const Tensor& input, const CallOptions& options) override;
  CallSignature call_signature() const override;
  Json get_config() const override;

  /// Tokens as strings, integers in decimal.
  std::vector<std::string> get_vocabulary() const;
  void set_vocabulary(const std::vector<std::string>& vocabulary);
  /// The k tokens with the highest counts; of equal ones, the older first.
  std::vector<std::string> get_top_vocabulary(int64_t k) const;
  int64_t vocabulary_size() const { return options_.vocabulary_size; }

 private:
  struct Table;
  std::shared_ptr<Table> table_;
  std::shared_ptr<const ops::HostFunction> learn_;
  std::shared_ptr<const ops::HostFunction> look_up_;
};

/// Options of DynamicEmbedding.
struct DynamicEmbeddingOptions {
  int64_t input_dim = 0;                      ///< size of the vocabulary
  int64_t output_dim = 0;                     ///< size of a vector
  DynamicVocabulary initial_vocabulary = {};  ///< tokens to start with; required
  std::string eviction_policy = "LFU";        ///< the only one: least frequently used
  std::optional<int64_t> input_length = {};   ///< accepted; sequences may have any length
  Initializer embedding_initializer = "uniform";
  int64_t num_oov_indices = 1;  ///< rows for unknown tokens; only the first is used
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// A DynamicLookup followed by an Embedding. update_embeddings(), which UpdateEmbeddingCallback
/// calls during training, makes the most frequent tokens the vocabulary. Known tokens keep their
/// rows; the rows of others are drawn anew. Weight: embeddings [input_dim + num_oov_indices,
/// output_dim].
class DynamicEmbedding : public LayerOf<DynamicEmbedding, DynamicEmbeddingOptions> {
 public:
  /// Throws ValueError as DynamicLookup and Embedding do.
  explicit DynamicEmbedding(const DynamicEmbeddingOptions& options);
  DynamicEmbedding(int64_t input_dim, int64_t output_dim, DynamicVocabulary initial_vocabulary,
                   DynamicEmbeddingOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(DynamicEmbedding, DynamicEmbeddingOptions, int64_t, int64_t,
                              DynamicVocabulary)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  CallSignature call_signature() const override;
  Json get_config() const override;

  std::vector<std::string> get_vocabulary() const { return lookup_.get_vocabulary(); }
  const DynamicLookup& dynamic_lookup_layer() const { return lookup_; }
  const Embedding& embedding_layer() const { return embedding_; }
  /// Must not be called while a program runs.
  void update_embeddings();

 private:
  Embedding embedding_;
  DynamicLookup lookup_;
};

}  // namespace antler
