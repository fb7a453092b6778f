#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/nn/activation.h"
#include "antler/nn/layer.h"

namespace antler {

/// Options of Dense.
struct DenseOptions {
  int64_t units = 0;  ///< size of the output's last dimension
  ActivationFunction activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// activation(x kernel + bias) over the last axis: [batch, ..., in] -> [batch, ..., units].
/// Weights: kernel [in, units], bias [units].
class Dense : public LayerBase<Dense> {
 public:
  /// Throws ValueError unless units > 0.
  explicit Dense(int64_t units, DenseOptions options = {});
  explicit Dense(const DenseOptions& options);

  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  DenseOptions options_;
  Variable kernel_;
  Variable bias_;
};

/// Options of Embedding.
struct EmbeddingOptions {
  int64_t input_dim = 0;   ///< number of different indices
  int64_t output_dim = 0;  ///< size of a vector
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
  bool mask_zero = false;  ///< index 0 means padding: the output carries the mask `index != 0`
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Integers become vectors: [batch, ...] -> [batch, ..., output_dim]. Weight: embeddings
/// [input_dim, output_dim].
class Embedding : public LayerBase<Embedding> {
 public:
  /// Throws ValueError unless both sizes are positive.
  Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options = {});
  explicit Embedding(const EmbeddingOptions& options);

  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask) override;
  Json get_config() const override;

 private:
  EmbeddingOptions options_;
  Variable embeddings_;
};

}  // namespace antler
