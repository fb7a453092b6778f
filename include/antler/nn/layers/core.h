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
#include "antler/core/keyword.h"
#include "antler/core/optional_shape.h"
#include "antler/nn/activation.h"
#include "antler/nn/by_position.h"
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
  std::optional<double> lora_alpha = {};  ///< scales the update by lora_alpha / lora_rank
  std::optional<QuantizationConfig> quantization_config = {};  ///< for a quantized dtype policy
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// activation(x kernel + bias) over the last axis: [batch, ..., in] -> [batch, ..., units].
/// Weights: kernel [in, units], bias [units]. Quantized forms:
///  - int8: kernel int8, with kernel_scale [units]; inputs are quantized at each call.
///  - int4: kernel [in, ceil(units / 2)], two numbers per byte, with kernel_scale [units], or in
///    blocks with kernel_scale and kernel_zero [blocks, units] and g_idx [in].
///  - float8: the scales and amax histories of inputs, kernel and gradients, for training.
///  - gptq, awq: kernel uint8 [units, in], or [ceil(units / 2), in] for 4 bits, with kernel_scale
///    and kernel_zero [units, groups], g_idx [in], and awq_scales [in].
class Dense : public LayerOf<Dense, DenseOptions, QuantizableLayer> {
 public:
  Dense();  ///< assigned later
  /// Throws ValueError unless units > 0.
  explicit Dense(int64_t units, DenseOptions options = {});
  explicit Dense(const DenseOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Dense, DenseOptions, int64_t)
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
  std::string equation = {};  ///< as for einsum(): "ab,bc->ac"
  Shape output_shape = {};  ///< without the batch and the dimensions that "..." stands for; unknown
                            ///< dimensions follow from the input
  ActivationFunction activation = {};         ///< of the output; {}: none
  std::optional<std::string> bias_axes = {};  ///< the output dimensions of the bias
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  std::optional<int64_t> lora_rank = {};  ///< freezes the kernel and trains an update of this rank
  std::optional<double> lora_alpha = {};  ///< scales the update by lora_alpha / lora_rank
  std::optional<int64_t> gptq_unpacked_column_size =
      {};  ///< number of outputs, if quantized by GPTQ
  std::optional<QuantizationConfig> quantization_config = {};  ///< for a quantized dtype policy
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// activation(einsum(equation, x, kernel) + bias). The equation is "input,kernel->output" with one
/// letter per dimension; "...x,xy->...y" and "x...,xy->y..." stand for any number of dimensions.
/// Quantized forms are those of Dense, except: int8: kernel_scale broadcasts to the output. int4:
/// the kernel is a matrix whose rows are the dimensions that are summed over.
class EinsumDense : public LayerOf<EinsumDense, EinsumDenseOptions, QuantizableLayer> {
 public:
  EinsumDense();  ///< assigned later
  EinsumDense(std::string equation, Shape output_shape, EinsumDenseOptions options = {});
  /// `EinsumDense("ab,bc->ac", 64)`.
  template <std::integral Size>
  EinsumDense(std::string equation, Size output_shape, EinsumDenseOptions options = {})
      : EinsumDense(std::move(equation), Shape{output_shape}, std::move(options)) {}
  explicit EinsumDense(const EinsumDenseOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(EinsumDense, EinsumDenseOptions, std::string, Shape)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(EinsumDense, EinsumDenseOptions, std::string, equation)
  ANTLER_KEYWORD_CONSTRUCTOR(EinsumDense, EinsumDenseOptions, std::string, int64_t)

  /// Throws ValueError if the equation, the input and the output shape do not fit together.
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
  Tensors weights = {};    ///< the initial embeddings, [input_dim, output_dim]; a list of one array
  std::optional<int64_t> input_length = {};  ///< from Keras 2; has no effect
  std::optional<int64_t> lora_rank =
      {};  ///< freezes the embeddings and trains an update of this rank
  std::optional<double> lora_alpha = {};  ///< scales the update by lora_alpha / lora_rank
  std::optional<QuantizationConfig> quantization_config = {};  ///< for a quantized dtype policy
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Turns integers into vectors: [batch, ...] -> [batch, ..., output_dim]. Weight: embeddings
/// [input_dim, output_dim]. Negative integers count from the end. A call on values throws
/// IndexError for integers out of range. Compiled programs use the nearest row instead, because a
/// check would cost a pass over the integers. (Keras's backends differ: TensorFlow throws, JAX
/// gives NaN.) Quantized forms:
///  - int8: embeddings int8, with embeddings_scale [input_dim].
///  - int4: embeddings [input_dim, ceil(output_dim / 2)], two numbers per byte, with
///    embeddings_scale [input_dim], or in blocks with embeddings_scale and embeddings_zero
///    [input_dim, blocks] and g_idx [output_dim].
class Embedding : public LayerOf<Embedding, EmbeddingOptions, QuantizableLayer> {
 public:
  Embedding();  ///< assigned later
  /// Throws ValueError unless both sizes are positive, and for `weights` of another shape.
  Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options = {});
  explicit Embedding(const EmbeddingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Embedding, EmbeddingOptions, int64_t, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(Embedding, EmbeddingOptions, int64_t, input_dim)

  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
  Json get_config() const override;
  bool can_quantize(const std::string& mode) const override;
  /// The weight "embeddings". Throws AttributeError before build().
  Variable embeddings() const { return weight("embeddings"); }
};

/// Options of Masking.
struct MaskingOptions {
  double mask_value = 0;  ///< steps whose features all equal this are masked
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Masks the steps of sequences [batch, time, features] whose features all equal mask_value, and
/// sets these steps to 0.
class Masking : public LayerOf<Masking, MaskingOptions> {
 public:
  explicit Masking(const MaskingOptions& options = {});
  explicit Masking(double mask_value, MaskingOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(Masking, MaskingOptions, double)
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
  ANTLER_KEYWORD_CONSTRUCTOR(Identity, IdentityOptions)
  Nest call(const Nest& inputs, const CallOptions& options) override;
};

/// A stateless function of the inputs.
using LambdaFunction = std::function<Nest(const Nest& inputs, const CallOptions& options)>;
/// Registers a function under a name, so that loaded models with Lambda layers find it.
void register_lambda(const std::string& name, LambdaFunction function);

/// Options of Lambda.
struct LambdaOptions {
  OptionalShape output_shape = {};  ///< without the batch; kept for the configuration,
                                    ///< shapes are found by calling the function
  bool supports_masking = false;    ///< the output gets the input's mask
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
  /// A function that configurations refer to by `name`; register_lambda() makes it loadable.
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
  /// The same for a function of a list of tensors.
  template <std::invocable<const Tensors&> F>
  requires(!std::invocable<F, const Nest&>) explicit Lambda(F function, LambdaOptions options = {})
      : Lambda([function = std::move(function)](
                   const Nest& inputs) -> Nest { return function(inputs.flatten()); },
               std::move(options)) {}
  template <class F, class... K>
  requires KeywordArguments<K...>
  explicit Lambda(F function, K... keywords)
      : Lambda(std::move(function), from_keywords<LambdaOptions>(std::move(keywords)...)) {}
  ANTLER_KEYWORD_CONSTRUCTOR(Lambda, LambdaOptions, std::string, LambdaFunction)
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Json get_config() const override;

 private:
  std::string function_name_;
  LambdaFunction function_;
};

}  // namespace antler
