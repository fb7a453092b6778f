#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/activation.h"
#include "antler/nn/layer_handle.h"
#include "antler/training/model.h"

/// Models of Keras 2's keras.experimental.
namespace antler {

/// Options of LinearModel.
struct LinearModelOptions {
  int64_t units = 1;                   ///< size of the output
  ActivationFunction activation = {};  ///< {}: none
  bool use_bias = true;                ///< whether to add a bias
  Initializer kernel_initializer = "zeros";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Keras 2's LinearModel: activation(sum of x_i kernel_i + bias). The inputs are a tensor [batch,
/// n], a list, or a dictionary; later calls ignore keys that the first did not have. Weights: bias
/// [units], then a Dense layer without bias per input, in order (for dictionaries, of sorted keys).
class LinearModel : public ModelBase<LinearModel> {
 public:
  explicit LinearModel(const LinearModelOptions& options = {});
  explicit LinearModel(int64_t units, LinearModelOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(LinearModel, LinearModelOptions, int64_t)
  void build(const std::vector<Shape>& input_shapes) override;
  using Model::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  /// Throws ValueError if an input is missing.
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Json get_config() const override;

 private:
  struct Parts;
  LinearModelOptions options_;
  std::shared_ptr<Parts> parts_;
};

/// Options of WideDeepModel.
struct WideDeepModelOptions {
  ActivationFunction activation = {};  ///< of the sum
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Keras 2's WideDeepModel (Cheng et al. 2016): adds the outputs of a linear and a deep model. A
/// list of two inputs is one for each model; any other input goes to both.
///
///     WideDeepModel combined(LinearModel(), deep);
///     combined.compile("sgd", "adam", {.loss = "mse"});
///     combined.fit({wide_inputs, deep_inputs}, y);
class WideDeepModel : public ModelBase<WideDeepModel> {
 public:
  /// Throws TypeError if an argument is not a model.
  WideDeepModel(const LayerHandle& linear_model, const LayerHandle& dnn_model,
                const WideDeepModelOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(WideDeepModel, WideDeepModelOptions, const LayerHandle&,
                             const LayerHandle&)
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  using Model::compile;
  /// One optimizer per model (Keras's list of optimizers), combined in a MultiOptimizer;
  /// `arguments.optimizer` is ignored.
  void compile(const OptimizerSpec& linear_optimizer, const OptimizerSpec& dnn_optimizer,
               CompileArguments arguments = {});
  /// Also accepts Keras 2's list of two optimizers.
  void compile_from_config(const Json& config) override;
  Json get_config() const override;

 private:
  WideDeepModelOptions options_;
  LayerPtr linear_model_;
  LayerPtr dnn_model_;
};

}  // namespace antler
