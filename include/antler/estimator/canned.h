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

/// Estimators with a model of their own over feature columns. Names of variables, defaults and
/// losses (sums over the batch) are those of tf.compat.v1.estimator, so that checkpoints of either
/// program continue in the other.
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
  OptimizerChoice(const std::string& name);  // NOLINT(google-explicit-constructor)
  OptimizerChoice(train::OptimizerPtr optimizer)
      : make_([optimizer = std::move(optimizer)](double) { return optimizer; }) {
  }  // NOLINT(google-explicit-constructor)
  template <std::derived_from<train::Optimizer> O>
  OptimizerChoice(const O& optimizer)  // NOLINT(google-explicit-constructor)
      : OptimizerChoice(optimizer.share()) {}
  template <class F>
  requires(std::is_invocable_r_v<train::OptimizerPtr, F&>)
      OptimizerChoice(F function)  // NOLINT(google-explicit-constructor)
      : make_([function = Function(std::move(function))](double) { return function(); }) {}
  bool given() const { return static_cast<bool>(make_); }
  /// The optimizer. One that was given by name gets this learning rate.
  train::OptimizerPtr make(double learning_rate) const { return make_(learning_rate); }

 private:
  std::function<train::OptimizerPtr(double learning_rate)> make_;
};

/// What the classifiers have in common with the other estimators.
struct LinearClassifierOptions {
  std::optional<std::string> model_dir = {};
  int64_t n_classes = 2;
  std::optional<std::string> weight_column = {};
  std::optional<std::vector<std::string>> label_vocabulary = {};
  OptimizerChoice optimizer = "Ftrl";  ///< by name: rate 0.2, or less with more than 25 columns
  std::optional<RunConfig> config = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;
  WarmStart warm_start_from = {};
};
struct LinearRegressorOptions {
  std::optional<std::string> model_dir = {};
  int64_t label_dimension = 1;
  std::optional<std::string> weight_column = {};
  OptimizerChoice optimizer = "Ftrl";
  std::optional<RunConfig> config = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;
  WarmStart warm_start_from = {};
};
struct LinearEstimatorOptions {
  std::optional<std::string> model_dir = {};
  OptimizerChoice optimizer = "Ftrl";
  std::optional<RunConfig> config = {};
  WarmStart warm_start_from = {};
};
/// Sums of a weight per category and number (tf.estimator.LinearEstimator). Variables:
/// "linear/linear_model/<column>/weights", "linear/linear_model/bias_weights". Columns may be
/// categorical and dense. Throws ValueError without columns.
class LinearEstimator : public Estimator {
 public:
  LinearEstimator(const HeadPtr& head, std::vector<FeatureColumn> feature_columns,
                  const LinearEstimatorOptions& options = {});
};
class LinearClassifier : public Estimator {
 public:
  explicit LinearClassifier(std::vector<FeatureColumn> feature_columns,
                            const LinearClassifierOptions& options = {});
};
class LinearRegressor : public Estimator {
 public:
  explicit LinearRegressor(std::vector<FeatureColumn> feature_columns,
                           const LinearRegressorOptions& options = {});
};

struct DNNClassifierOptions {
  std::optional<std::string> model_dir = {};
  int64_t n_classes = 2;
  std::optional<std::string> weight_column = {};
  std::optional<std::vector<std::string>> label_vocabulary = {};
  OptimizerChoice optimizer = "Adagrad";  ///< by name: rate 0.05
  ActivationFunction activation_fn = "relu";
  std::optional<double> dropout = {};
  std::optional<RunConfig> config = {};
  WarmStart warm_start_from = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;
  bool batch_norm = false;
};
struct DNNRegressorOptions {
  std::optional<std::string> model_dir = {};
  int64_t label_dimension = 1;
  std::optional<std::string> weight_column = {};
  OptimizerChoice optimizer = "Adagrad";
  ActivationFunction activation_fn = "relu";
  std::optional<double> dropout = {};
  std::optional<RunConfig> config = {};
  WarmStart warm_start_from = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;
  bool batch_norm = false;
};
struct DNNEstimatorOptions {
  std::optional<std::string> model_dir = {};
  OptimizerChoice optimizer = "Adagrad";
  ActivationFunction activation_fn = "relu";
  std::optional<double> dropout = {};
  std::optional<RunConfig> config = {};
  WarmStart warm_start_from = {};
  bool batch_norm = false;
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
class DNNClassifier : public Estimator {
 public:
  DNNClassifier(std::vector<int64_t> hidden_units, std::vector<FeatureColumn> feature_columns,
                const DNNClassifierOptions& options = {});
};
class DNNRegressor : public Estimator {
 public:
  DNNRegressor(std::vector<int64_t> hidden_units, std::vector<FeatureColumn> feature_columns,
               const DNNRegressorOptions& options = {});
};

/// Parts of the wide and deep estimators, whose logits are added; either may have no columns.
struct WideAndDeep {
  std::vector<FeatureColumn> linear_feature_columns = {};
  OptimizerChoice linear_optimizer = "Ftrl";  ///< by name: rate 0.005, or less as above
  std::vector<FeatureColumn> dnn_feature_columns = {};
  OptimizerChoice dnn_optimizer = "Adagrad";  ///< by name: rate 0.001
  std::vector<int64_t> dnn_hidden_units = {};
  ActivationFunction dnn_activation_fn = "relu";
  std::optional<double> dnn_dropout = {};
  bool batch_norm = false;
};
struct DNNLinearCombinedClassifierOptions {
  std::optional<std::string> model_dir = {};
  int64_t n_classes = 2;
  std::optional<std::string> weight_column = {};
  std::optional<std::vector<std::string>> label_vocabulary = {};
  std::optional<RunConfig> config = {};
  WarmStart warm_start_from = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;
};
struct DNNLinearCombinedRegressorOptions {
  std::optional<std::string> model_dir = {};
  int64_t label_dimension = 1;
  std::optional<std::string> weight_column = {};
  std::optional<RunConfig> config = {};
  WarmStart warm_start_from = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;
};
struct DNNLinearCombinedEstimatorOptions {
  std::optional<std::string> model_dir = {};
  std::optional<RunConfig> config = {};
  WarmStart warm_start_from = {};
};
/// A linear model and a deep one together, each with its optimizer (Cheng et al. 2016). Throws
/// ValueError without any columns, and for deep columns without hidden units.
class DNNLinearCombinedEstimator : public Estimator {
 public:
  DNNLinearCombinedEstimator(const HeadPtr& head, const WideAndDeep& model,
                             const DNNLinearCombinedEstimatorOptions& options = {});
};
class DNNLinearCombinedClassifier : public Estimator {
 public:
  explicit DNNLinearCombinedClassifier(const WideAndDeep& model,
                                       const DNNLinearCombinedClassifierOptions& options = {});
};
class DNNLinearCombinedRegressor : public Estimator {
 public:
  explicit DNNLinearCombinedRegressor(const WideAndDeep& model,
                                      const DNNLinearCombinedRegressorOptions& options = {});
};

struct BaselineClassifierOptions {
  std::optional<std::string> model_dir = {};
  int64_t n_classes = 2;
  std::optional<std::string> weight_column = {};
  std::optional<std::vector<std::string>> label_vocabulary = {};
  OptimizerChoice optimizer = "Ftrl";  ///< by name: rate 0.3
  std::optional<RunConfig> config = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;
};
struct BaselineRegressorOptions {
  std::optional<std::string> model_dir = {};
  int64_t label_dimension = 1;
  std::optional<std::string> weight_column = {};
  OptimizerChoice optimizer = "Ftrl";
  std::optional<RunConfig> config = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;
};
/// Ignores the features: learns the mean of the labels. Variable: "baseline/bias".
class BaselineClassifier : public Estimator {
 public:
  explicit BaselineClassifier(const BaselineClassifierOptions& options = {});
};
class BaselineRegressor : public Estimator {
 public:
  explicit BaselineRegressor(const BaselineRegressorOptions& options = {});
};

}  // namespace antler::estimator
