#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/base/string_like.h"
#include "antler/core/optional_shape.h"
#include "antler/nn/activation.h"
#include "antler/nn/kernel_layer.h"
#include "antler/nn/layer_of.h"

namespace antler {

/// Options of Dense.
struct DenseOptions {
  int64_t units = 0;                   ///< size of the output's last dimension
  ActivationFunction activation = {};  ///< of the output; {}: none
  bool use_bias = true;                ///< whether to add a bias
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  std::optional<int64_t> lora_rank = {};  ///< freezes the kernel and trains an update of this rank
  std::optional<double> lora_alpha = {};  ///< the update counts lora_alpha / lora_rank times
  std::optional<QuantizationConfig> quantization_config = {};  ///< of a quantized dtype policy
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// activation(x kernel + bias) over the last axis: [batch, ..., in] -> [batch, ..., units].
/// Weights: kernel [in, units], bias [units]. Quantized
///  - int8: kernel becomes int8 with kernel_scale [units]; inputs are quantized at each call.
///  - int4: kernel [in, ceil(units / 2)] of bytes with two numbers each, with kernel_scale [units],
///    or in blocks with kernel_scale and kernel_zero [blocks, units] and g_idx [in].
///  - float8: the scales and amax histories of inputs, kernel and gradients, for training.
///  - gptq, awq: kernel uint8 [units, in], or [ceil(units / 2), in] for 4 bits, with kernel_scale
///    and kernel_zero [units, groups], g_idx [in], and awq_scales [in].
class Dense : public LayerOf<Dense, DenseOptions, QuantizableLayer> {
 public:
  /// Throws ValueError unless units > 0.
  explicit Dense(int64_t units, DenseOptions options = {});
  explicit Dense(const DenseOptions& options);
  /// `Dense(64, "relu")`.
  template <StringLike S>
  Dense(int64_t units, const S& activation)
      : Dense(units, DenseOptions{.activation = activation}) {}

  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;
};

/// Options of EinsumDense.
struct EinsumDenseOptions {
  std::string equation = {};  ///< as of einsum(): "ab,bc->ac"
  Shape output_shape = {};  ///< without the batch and the dimensions that "..." stands for; unknown
                            ///< where the input decides
  ActivationFunction activation = {};         ///< of the output; {}: none
  std::optional<std::string> bias_axes = {};  ///< output dimensions that the bias has
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  std::optional<int64_t> lora_rank = {};  ///< freezes the kernel and trains an update of this rank
  std::optional<double> lora_alpha = {};  ///< the update counts lora_alpha / lora_rank times
  std::optional<int64_t> gptq_unpacked_column_size =
      {};  ///< outputs, where it is quantized by GPTQ
  std::optional<QuantizationConfig> quantization_config = {};  ///< of a quantized dtype policy
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// activation(einsum(equation, x, kernel) + bias), the equation being "input,kernel->output" with
/// one letter per dimension; "...x,xy->...y" and "x...,xy->y..." leave dimensions open. Quantized
/// as Dense. int8: kernel_scale broadcasts to the output. int4: the kernel is a matrix, of which
/// the rows are the dimensions that are summed over.
class EinsumDense : public LayerOf<EinsumDense, EinsumDenseOptions, QuantizableLayer> {
 public:
  EinsumDense(std::string equation, Shape output_shape, EinsumDenseOptions options = {});
  explicit EinsumDense(const EinsumDenseOptions& options);

  /// Throws ValueError when the equation, the input and the output shape do not fit.
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;
};

/// Options of Embedding.
struct EmbeddingOptions {
  int64_t input_dim = 0;   ///< number of different indices
  int64_t output_dim = 0;  ///< size of a vector
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
  bool mask_zero = false;  ///< index 0 means padding: the output carries the mask `index != 0`
  std::optional<int64_t> input_length = {};  ///< of Keras 2; says nothing
  std::optional<int64_t> lora_rank =
      {};  ///< freezes the embeddings and trains an update of this rank
  std::optional<double> lora_alpha = {};  ///< the update counts lora_alpha / lora_rank times
  std::optional<QuantizationConfig> quantization_config = {};  ///< of a quantized dtype policy
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Integers become vectors: [batch, ...] -> [batch, ..., output_dim]. Weight: embeddings
/// [input_dim, output_dim]. Negative integers count from the end. A call on values throws
/// IndexError for integers beyond; inside of programs, where that would cost a pass over them, the
/// nearest row stands for those (Keras's backends differ: TensorFlow throws, JAX gives NaN).
/// Quantized
///  - int8: embeddings become int8 with embeddings_scale [input_dim].
///  - int4: embeddings [input_dim, ceil(output_dim / 2)] of bytes with two numbers each, with
///    embeddings_scale [input_dim], or in blocks with embeddings_scale and embeddings_zero
///    [input_dim, blocks] and g_idx [output_dim].
class Embedding : public LayerOf<Embedding, EmbeddingOptions, QuantizableLayer> {
 public:
  /// Throws ValueError unless both sizes are positive.
  Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options = {});
  explicit Embedding(const EmbeddingOptions& options);

  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
  Json get_config() const override;
  bool can_quantize(const std::string& mode) const override;
  /// The weight of this name. Throws AttributeError before build().
  Variable embeddings() const { return weight("embeddings"); }
};

/// Options of Masking.
struct MaskingOptions {
  double mask_value = 0;  ///< steps of which all features are this number are masked
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Gives sequences [batch, time, features] the mask that leaves out steps of which all features are
/// mask_value, and sets those steps to 0.
class Masking : public LayerOf<Masking, MaskingOptions> {
 public:
  explicit Masking(const MaskingOptions& options = {});
  explicit Masking(double mask_value, MaskingOptions options = {});
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
};

/// Options of Identity.
struct IdentityOptions {
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Returns its input.
class Identity : public LayerBase<Identity> {
 public:
  explicit Identity(const IdentityOptions& options = {});
  Nest call(const Nest& inputs, const CallOptions& options) override;
};

/// A function of inputs that keeps no state.
using LambdaFunction = std::function<Nest(const Nest& inputs, const CallOptions& options)>;
/// Registers a function under a name, so that loaded models with Lambda layers find it.
void register_lambda(const std::string& name, LambdaFunction function);

/// Options of Lambda.
struct LambdaOptions {
  OptionalShape output_shape = {};  ///< without the batch; only kept, shapes are found by
                                    ///< calling the function
  bool supports_masking = false;    ///< the input's mask passes on
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Calls a custom function, written in ops. It is saved under its name. Python lambdas, which files
/// store as bytecode, are refused.
class Lambda : public LayerOf<Lambda, LambdaOptions> {
 public:
  /// The function that was registered under this name. Throws ValueError when there is none.
  explicit Lambda(const std::string& function, LambdaOptions options = {});
  /// A function that a configuration knows by `name`; register_lambda() makes it loadable.
  Lambda(std::string name, LambdaFunction function, LambdaOptions options = {});
  /// A function without a name, of a tensor or of a Nest: `Lambda([](const Tensor& x) { return 2 *
  /// x; })`. A model with it cannot be loaded again.
  template <std::invocable<const Nest&> F>
  requires std::convertible_to<std::invoke_result_t<F, const Nest&>, Nest>
  explicit Lambda(F function, LambdaOptions options = {})
      : Lambda(
            "<lambda>",
            [function = std::move(function)](const Nest& inputs, const CallOptions&) -> Nest {
              return function(inputs);
            },
            std::move(options)) {}
  /// Likewise of a list of tensors.
  template <std::invocable<const Tensors&> F>
  requires(!std::invocable<F, const Nest&>) explicit Lambda(F function, LambdaOptions options = {})
      : Lambda([function = std::move(function)](
                   const Nest& inputs) -> Nest { return function(inputs.flatten()); },
               std::move(options)) {}
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Json get_config() const override;

 private:
  std::string function_name_;
  LambdaFunction function_;
};

}  // namespace antler
