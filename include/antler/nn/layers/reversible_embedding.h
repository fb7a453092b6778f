#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/by_position.h"
#include "antler/nn/kernel_layer.h"
#include "antler/nn/layer_of.h"

namespace antler {

/// Options of ReversibleEmbedding.
struct ReversibleEmbeddingOptions {
  int64_t input_dim = 0;    ///< number of different indices
  int64_t output_dim = 0;   ///< size of a vector
  bool tie_weights = true;  ///< the reverse direction uses the same weights, transposed
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
  bool mask_zero = false;  ///< index 0 means padding: the vectors carry the mask `index != 0`
  std::optional<std::string> reverse_dtype = {};  ///< dtype of the product in the reverse direction
  std::optional<double> logit_soft_cap = {};      ///< c: logits become c tanh(logits / c)
  std::optional<int64_t> lora_rank = {};          ///< as in EmbeddingOptions
  std::optional<double> lora_alpha = {};          ///< as in EmbeddingOptions
  std::optional<QuantizationConfig> quantization_config = {};  ///< for a quantized dtype policy
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// An Embedding that can be called in both directions: integers [batch, ...] become vectors [batch,
/// ..., output_dim]; with the argument "reverse", vectors become logits [batch, ..., input_dim].
/// Weights: embeddings [input_dim, output_dim], and reverse_embeddings [output_dim, input_dim]
/// unless tied. LoRA works as in Embedding, but is not used for the logits of quantized weights.
///
/// Quantized forms are those of Embedding. reverse_embeddings become int8 [output_dim, input_dim],
/// or two numbers per byte [ceil(output_dim / 2), input_dim], with reverse_embeddings_scale
/// [input_dim], or in blocks with reverse_embeddings_scale and reverse_embeddings_zero [blocks,
/// input_dim]. In mode "int8", vectors are quantized in the reverse direction.
class ReversibleEmbedding
    : public LayerOf<ReversibleEmbedding, ReversibleEmbeddingOptions, QuantizableLayer> {
 public:
  /// Throws ValueError unless both sizes are positive.
  ReversibleEmbedding(int64_t input_dim, int64_t output_dim,
                      ReversibleEmbeddingOptions options = {});
  explicit ReversibleEmbedding(const ReversibleEmbeddingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(ReversibleEmbedding, ReversibleEmbeddingOptions, int64_t, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(ReversibleEmbedding, ReversibleEmbeddingOptions, int64_t,
                                   input_dim)

  void build(const Shape& input_shape) override;
  using Layer::build;
  CallSignature call_signature() const override;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
  Json get_config() const override;
  bool can_quantize(const std::string& mode) const override;

 protected:
  std::vector<LayerKernel*> kernels() const override;

 private:
  std::shared_ptr<LayerKernel>
      reverse_;  ///< for the reverse direction, unless tied; shared by all copies
};

}  // namespace antler
