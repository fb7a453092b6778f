#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/estimator/estimator.h"
#include "antler/estimator/head.h"
#include "antler/estimator/train.h"
#include "antler/nn/activation.h"
#include "antler/nn/feature_column.h"

/// Estimators with built-in models over feature columns. Names of variables, defaults and losses
/// (sums over the batch) are those of tf.compat.v1.estimator, so that each can continue from the
/// other's checkpoints.
namespace antler::estimator {

using feature_column::FeatureColumn;

/// Field type of `.optimizer`: a name ("Adagrad", "Adam", "Ftrl", "RMSProp", "SGD"), an optimizer,
/// or a function that is called in each graph, for learning rates that depend on the global step.
class OptimizerChoice {
 public:
  using Function = std::function<train::OptimizerPtr()>;
  OptimizerChoice() = default;
  OptimizerChoice(const char* name)  // NOLINT(google-explicit-constructor)
      : OptimizerChoice(std::string(name)) {}
  /// Throws ValueError for an unknown name.
  OptimizerChoice(const std::string& name);       // NOLINT(google-explicit-constructor)
  OptimizerChoice(train::OptimizerPtr optimizer)  // NOLINT(google-explicit-constructor)
      : make_([optimizer = std::move(optimizer)](double) { return optimizer; }) {}
  template <std::derived_from<train::Optimizer> O>
  OptimizerChoice(const O& optimizer)  // NOLINT(google-explicit-constructor)
      : OptimizerChoice(optimizer.share()) {}
  template <class F>
  requires(std::is_invocable_r_v<train::OptimizerPtr, F&>)
      OptimizerChoice(F function)  // NOLINT(google-explicit-constructor)
      : make_([function = Function(std::move(function))](double) { return function(); }) {}
  bool given() const { return static_cast<bool>(make_); }
  /// The optimizer. One that was given by name gets this learning rate. Throws ValueError if none
  /// was given.
  train::OptimizerPtr make(double learning_rate) const;

 private:
  std::function<train::OptimizerPtr(double learning_rate)> make_;
};

/// Options of LinearClassifier.
struct LinearClassifierOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  int64_t n_classes = 2;  ///< number of classes
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  /// Labels that are strings, in the order of their classes.
  std::optional<std::vector<std::string>> label_vocabulary = {};
  OptimizerChoice optimizer = "Ftrl";    ///< by name: rate 0.2, or less with more than 25 columns
  std::optional<RunConfig> config = {};  ///< not given: RunConfig()
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
  WarmStart warm_start_from = {};                             ///< values to start from
};
/// Options of LinearRegressor.
struct LinearRegressorOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  int64_t label_dimension = 1;  ///< size of a label
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  OptimizerChoice optimizer = "Ftrl";                         ///< a name or an object
  std::optional<RunConfig> config = {};                       ///< not given: RunConfig()
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
  WarmStart warm_start_from = {};                             ///< values to start from
};
/// Options of LinearEstimator.
struct LinearEstimatorOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  OptimizerChoice optimizer = "Ftrl";    ///< a name or an object
  std::optional<RunConfig> config = {};  ///< not given: RunConfig()
  WarmStart warm_start_from = {};        ///< values to start from
};
/// A linear model with a weight per category and per number (tf.estimator.LinearEstimator).
/// Variables: "linear/linear_model/<column>/weights", "linear/linear_model/bias_weights". Columns
/// may be categorical or dense. Throws ValueError without columns.
class LinearEstimator : public Estimator {
 public:
  LinearEstimator(const HeadPtr& head, std::vector<FeatureColumn> feature_columns,
                  const LinearEstimatorOptions& options = {});
};
/// LinearEstimator with a classifier's head.
class LinearClassifier : public Estimator {
 public:
  explicit LinearClassifier(std::vector<FeatureColumn> feature_columns,
                            const LinearClassifierOptions& options = {});
};
/// LinearEstimator with a regression head.
class LinearRegressor : public Estimator {
 public:
  explicit LinearRegressor(std::vector<FeatureColumn> feature_columns,
                           const LinearRegressorOptions& options = {});
};

/// Options of DNNClassifier.
struct DNNClassifierOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  int64_t n_classes = 2;  ///< number of classes
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  /// Labels that are strings, in the order of their classes.
  std::optional<std::vector<std::string>> label_vocabulary = {};
  OptimizerChoice optimizer = "Adagrad";      ///< by name: rate 0.05
  ActivationFunction activation_fn = "relu";  ///< of the hidden layers
  std::optional<double> dropout = {};         ///< fraction of the units to drop; not given: none
  std::optional<RunConfig> config = {};       ///< not given: RunConfig()
  WarmStart warm_start_from = {};             ///< values to start from
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
  bool batch_norm = false;  ///< batch normalization after hidden layers
};
/// Options of DNNRegressor.
struct DNNRegressorOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  int64_t label_dimension = 1;  ///< size of a label
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  OptimizerChoice optimizer = "Adagrad";      ///< a name or an object
  ActivationFunction activation_fn = "relu";  ///< of the hidden layers
  std::optional<double> dropout = {};         ///< fraction of the units to drop; not given: none
  std::optional<RunConfig> config = {};       ///< not given: RunConfig()
  WarmStart warm_start_from = {};             ///< values to start from
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
  bool batch_norm = false;  ///< batch normalization after hidden layers
};
/// Options of DNNEstimator.
struct DNNEstimatorOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  OptimizerChoice optimizer = "Adagrad";      ///< a name or an object
  ActivationFunction activation_fn = "relu";  ///< of the hidden layers
  std::optional<double> dropout = {};         ///< fraction of the units to drop; not given: none
  std::optional<RunConfig> config = {};       ///< not given: RunConfig()
  WarmStart warm_start_from = {};             ///< values to start from
  bool batch_norm = false;                    ///< batch normalization after hidden layers
};
/// Dense layers over dense columns (tf.estimator.DNNEstimator). Variables:
/// "dnn/hiddenlayer_<i>/kernel", ".../bias", "dnn/logits/kernel", "dnn/logits/bias",
/// "dnn/input_from_feature_columns/input_layer/<column>/embedding_weights". Throws ValueError
/// without columns, or for a column that is not dense.
class DNNEstimator : public Estimator {
 public:
  DNNEstimator(const HeadPtr& head, std::vector<int64_t> hidden_units,
               std::vector<FeatureColumn> feature_columns, const DNNEstimatorOptions& options = {});
};
/// DNNEstimator with a classifier's head.
class DNNClassifier : public Estimator {
 public:
  DNNClassifier(std::vector<int64_t> hidden_units, std::vector<FeatureColumn> feature_columns,
                const DNNClassifierOptions& options = {});
};
/// DNNEstimator with a regression head.
class DNNRegressor : public Estimator {
 public:
  DNNRegressor(std::vector<int64_t> hidden_units, std::vector<FeatureColumn> feature_columns,
               const DNNRegressorOptions& options = {});
};

/// Parts of the wide and deep estimators. Their logits are added; either may have no columns.
struct WideAndDeep {
  std::vector<FeatureColumn> linear_feature_columns = {};
  OptimizerChoice linear_optimizer = "Ftrl";  ///< by name: rate 0.005, or less (many columns)
  std::vector<FeatureColumn> dnn_feature_columns = {};
  OptimizerChoice dnn_optimizer = "Adagrad";  ///< by name: rate 0.001
  std::vector<int64_t> dnn_hidden_units = {};
  ActivationFunction dnn_activation_fn = "relu";
  std::optional<double> dnn_dropout = {};
  bool batch_norm = false;
};
/// Options of DNNLinearCombinedClassifier.
struct DNNLinearCombinedClassifierOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  int64_t n_classes = 2;  ///< number of classes
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  /// Labels that are strings, in the order of their classes.
  std::optional<std::vector<std::string>> label_vocabulary = {};
  std::optional<RunConfig> config = {};                       ///< not given: RunConfig()
  WarmStart warm_start_from = {};                             ///< values to start from
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
};
/// Options of DNNLinearCombinedRegressor.
struct DNNLinearCombinedRegressorOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  int64_t label_dimension = 1;  ///< size of a label
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  std::optional<RunConfig> config = {};                       ///< not given: RunConfig()
  WarmStart warm_start_from = {};                             ///< values to start from
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
};
/// Options of DNNLinearCombinedEstimator.
struct DNNLinearCombinedEstimatorOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  std::optional<RunConfig> config = {};  ///< not given: RunConfig()
  WarmStart warm_start_from = {};        ///< values to start from
};
/// A linear model and a deep one together, each with its optimizer (Cheng et al. 2016). Throws
/// ValueError without any columns, and for deep columns without hidden units.
class DNNLinearCombinedEstimator : public Estimator {
 public:
  DNNLinearCombinedEstimator(const HeadPtr& head, const WideAndDeep& model,
                             const DNNLinearCombinedEstimatorOptions& options = {});
};
/// DNNLinearCombinedEstimator with a classifier's head.
class DNNLinearCombinedClassifier : public Estimator {
 public:
  explicit DNNLinearCombinedClassifier(const WideAndDeep& model,
                                       const DNNLinearCombinedClassifierOptions& options = {});
};
/// DNNLinearCombinedEstimator with a regression head.
class DNNLinearCombinedRegressor : public Estimator {
 public:
  explicit DNNLinearCombinedRegressor(const WideAndDeep& model,
                                      const DNNLinearCombinedRegressorOptions& options = {});
};

/// Options of BaselineClassifier.
struct BaselineClassifierOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  int64_t n_classes = 2;  ///< number of classes
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  /// Labels that are strings, in the order of their classes.
  std::optional<std::vector<std::string>> label_vocabulary = {};
  OptimizerChoice optimizer = "Ftrl";                         ///< by name: rate 0.3
  std::optional<RunConfig> config = {};                       ///< not given: RunConfig()
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
};
/// Options of BaselineRegressor.
struct BaselineRegressorOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  int64_t label_dimension = 1;  ///< size of a label
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  OptimizerChoice optimizer = "Ftrl";                         ///< a name or an object
  std::optional<RunConfig> config = {};                       ///< not given: RunConfig()
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
};
/// Ignores the features: learns how frequent each class is. Variable: "baseline/bias".
class BaselineClassifier : public Estimator {
 public:
  explicit BaselineClassifier(const BaselineClassifierOptions& options = {});
};
/// The same for numbers: learns the mean of the labels.
class BaselineRegressor : public Estimator {
 public:
  explicit BaselineRegressor(const BaselineRegressorOptions& options = {});
};

}  // namespace antler::estimator
