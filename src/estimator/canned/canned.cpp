#include "antler/estimator/canned.h"

#include <algorithm>
#include <cmath>

#include "antler/base/error.h"
#include "antler/estimator/graph.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "estimator/canned/models.h"
#include "estimator/train/slot_names.h"

namespace antler::estimator {
namespace {

/// Learning rate of a linear model with this many columns, at most `most`.
double linear_rate(double most, size_t columns) {
  return std::min(most, 1 / std::sqrt(static_cast<double>(std::max<size_t>(columns, 1))));
}

HeadPtr class_head(int64_t n_classes, const auto& options) {
  const ClassHeadOptions head{.weight_column = options.weight_column,
                              .label_vocabulary = options.label_vocabulary,
                              .loss_reduction = options.loss_reduction};
  return n_classes == 2 ? binary_class_head(head) : multi_class_head(n_classes, head);
}

HeadPtr number_head(const auto& options) {
  return regression_head({.weight_column = options.weight_column,
                          .label_dimension = options.label_dimension,
                          .loss_reduction = options.loss_reduction});
}

const HeadPtr& checked_head(const HeadPtr& head) {
  if (head == nullptr) throw ValueError("head must be given. Received: a null pointer");
  return head;
}

/// The features of the columns as a dictionary. Throws ValueError for other structures.
const Nest& dictionary(const Nest& features) {
  if (features.is_dict()) return features;
  throw ValueError("features should be a dictionary of `Tensor`s. Given: {}", features.structure());
}

ModelFn linear_model_fn(const HeadPtr& head, std::vector<FeatureColumn> columns,
                        const OptimizerChoice& optimizer) {
  checked_head(head);
  columns = checked_columns(std::move(columns));
  return [=](const ModelFnArgs& args) {
    const Tensor logits =
        linear_logits(dictionary(args.features), columns, head->logits_dimension());
    return head->create_estimator_spec(args, logits, [&](const Tensor& loss) {
      const train::PartitionedSlotNames names("linear/head", "part_0");
      return optimizer.make(linear_rate(0.2, columns.size()))
          ->minimize(loss, {.global_step = get_global_step()});
    });
  };
}

ModelFn dnn_model_fn(const HeadPtr& head, DNNModel model, const OptimizerChoice& optimizer) {
  checked_head(head);
  model.columns = checked_columns(std::move(model.columns));
  check_dense(model.columns);
  return [=](const ModelFnArgs& args) {
    const Tensor logits =
        dnn_logits(dictionary(args.features), model, head->logits_dimension(), args.mode);
    return head->create_estimator_spec(args, logits, [&](const Tensor& loss) {
      // TensorFlow drops as many characters from the front of "/part_0" as "dnn/" has.
      const train::PartitionedSlotNames names("dnn/head", "t_0");
      return optimizer.make(0.05)->minimize(loss, {.global_step = get_global_step()});
    });
  };
}

/// The trainable variables below a scope.
Variables variables_below(const std::string& scope) {
  Variables found;
  for (const auto& [name, variable] : Graph::current().variables()) {
    if (variable.trainable() && name.starts_with(scope + "/")) found.push_back(variable);
  }
  return found;
}

ModelFn combined_model_fn(const HeadPtr& head, const WideAndDeep& given) {
  checked_head(head);
  const bool wide = !given.linear_feature_columns.empty();
  const bool deep = !given.dnn_feature_columns.empty();
  if (!wide && !deep) {
    throw ValueError(
        "Either linear_feature_columns or dnn_feature_columns must be defined: both are empty.");
  }
  if (deep && given.dnn_hidden_units.empty())
    throw ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.");
  WideAndDeep model = given;
  if (wide) model.linear_feature_columns = checked_columns(model.linear_feature_columns);
  if (deep) model.dnn_feature_columns = checked_columns(model.dnn_feature_columns);
  check_dense(model.dnn_feature_columns);
  return [=](const ModelFnArgs& args) {
    const Nest& features = dictionary(args.features);
    Tensors logits;
    if (deep) {
      logits.push_back(dnn_logits(features,
                                  {.hidden_units = model.dnn_hidden_units,
                                   .columns = model.dnn_feature_columns,
                                   .activation_fn = model.dnn_activation_fn,
                                   .dropout = model.dnn_dropout,
                                   .batch_norm = model.batch_norm},
                                  head->logits_dimension(), args.mode));
    }
    if (wide) {
      logits.push_back(
          linear_logits(features, model.linear_feature_columns, head->logits_dimension()));
    }
    const Tensor sum = logits.size() == 1 ? logits[0] : logits[0] + logits[1];
    return head->create_estimator_spec(args, sum, [&](const Tensor& loss) {
      const train::PartitionedSlotNames names("head", "");
      // Both gradients belong to the same step, so they are computed before either update.
      std::vector<std::pair<train::OptimizerPtr, train::GradientsAndVariables>> updates;
      const auto add = [&](const train::OptimizerPtr& optimizer, const std::string& scope) {
        updates.emplace_back(optimizer, optimizer->compute_gradients(loss, variables_below(scope)));
      };
      if (deep) add(model.dnn_optimizer.make(0.001), "dnn");
      if (wide) {
        add(model.linear_optimizer.make(linear_rate(0.005, model.linear_feature_columns.size())),
            "linear");
      }
      std::vector<TrainOp> ops;
      ops.reserve(updates.size());
      for (const auto& [optimizer, gradients] : updates)
        ops.push_back(
            optimizer->apply_gradients(gradients, ops.empty() ? get_global_step() : Variable()));
      return TrainOp::group(ops);
    });
  };
}

ModelFn baseline_model_fn(const HeadPtr& head, const OptimizerChoice& optimizer) {
  return [=](const ModelFnArgs& args) {
    const Tensors leaves = args.features.flatten();
    if (leaves.empty() || !leaves[0].defined() || leaves[0].rank() == 0)
      throw ValueError("BaselineEstimator: features must determine the batch size.");
    const Variable bias = get_variable(
        "baseline/bias", {.shape = {head->logits_dimension()}, .initializer = "zeros"});
    const Tensor logits =
        ops::broadcast_to(bias.value(), {leaves[0].dim(0), head->logits_dimension()});
    return head->create_estimator_spec(args, logits, [&](const Tensor& loss) {
      const train::PartitionedSlotNames names("head", "");
      return optimizer.make(0.3)->minimize(loss, {.global_step = get_global_step()});
    });
  };
}

EstimatorOptions common(const auto& options) {
  return {.model_dir = options.model_dir,
          .config = options.config,
          .warm_start_from = options.warm_start_from};
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): moved, which clang-tidy 14 does not see here
DNNModel dnn_model(std::vector<int64_t> hidden_units, std::vector<FeatureColumn> columns,
                   const auto& options) {
  return {.hidden_units = std::move(hidden_units),
          .columns = std::move(columns),
          .activation_fn = options.activation_fn,
          .dropout = options.dropout,
          .batch_norm = options.batch_norm};
}

}  // namespace

train::OptimizerPtr OptimizerChoice::make(double learning_rate) const {
  train::OptimizerPtr optimizer = given() ? make_(learning_rate) : nullptr;
  if (optimizer != nullptr) return optimizer;
  throw ValueError(
      "Argument `optimizer` must be a name, an optimizer or a function that returns one.");
}

OptimizerChoice::OptimizerChoice(const std::string& name) {
  if (name == "Adagrad") {
    make_ = [](double rate) { return train::AdagradOptimizer(rate).share(); };
  } else if (name == "Adam") {
    make_ = [](double rate) { return train::AdamOptimizer(rate).share(); };
  } else if (name == "Ftrl") {
    make_ = [](double rate) { return train::FtrlOptimizer(rate).share(); };
  } else if (name == "RMSProp") {
    make_ = [](double rate) { return train::RMSPropOptimizer(rate).share(); };
  } else if (name == "SGD") {
    make_ = [](double rate) { return train::GradientDescentOptimizer(rate).share(); };
  } else {
    throw ValueError(
        "Unsupported optimizer name: {}. Supported names are: Adagrad, Adam, Ftrl, RMSProp, SGD.",
        name);
  }
}

LinearEstimator::LinearEstimator(const HeadPtr& head, std::vector<FeatureColumn> feature_columns,
                                 const LinearEstimatorOptions& options)
    : Estimator(linear_model_fn(head, std::move(feature_columns), options.optimizer),
                common(options)) {}

LinearClassifier::LinearClassifier(std::vector<FeatureColumn> feature_columns,
                                   const LinearClassifierOptions& options)
    : Estimator(linear_model_fn(class_head(options.n_classes, options), std::move(feature_columns),
                                options.optimizer),
                common(options)) {}

LinearRegressor::LinearRegressor(std::vector<FeatureColumn> feature_columns,
                                 const LinearRegressorOptions& options)
    : Estimator(
          linear_model_fn(number_head(options), std::move(feature_columns), options.optimizer),
          common(options)) {}

DNNEstimator::DNNEstimator(const HeadPtr& head, std::vector<int64_t> hidden_units,
                           std::vector<FeatureColumn> feature_columns,
                           const DNNEstimatorOptions& options)
    : Estimator(dnn_model_fn(
                    head, dnn_model(std::move(hidden_units), std::move(feature_columns), options),
                    options.optimizer),
                common(options)) {}

DNNClassifier::DNNClassifier(std::vector<int64_t> hidden_units,
                             std::vector<FeatureColumn> feature_columns,
                             const DNNClassifierOptions& options)
    : Estimator(
          dnn_model_fn(class_head(options.n_classes, options),
                       dnn_model(std::move(hidden_units), std::move(feature_columns), options),
                       options.optimizer),
          common(options)) {}

DNNRegressor::DNNRegressor(std::vector<int64_t> hidden_units,
                           std::vector<FeatureColumn> feature_columns,
                           const DNNRegressorOptions& options)
    : Estimator(
          dnn_model_fn(number_head(options),
                       dnn_model(std::move(hidden_units), std::move(feature_columns), options),
                       options.optimizer),
          common(options)) {}

DNNLinearCombinedEstimator::DNNLinearCombinedEstimator(
    const HeadPtr& head, const WideAndDeep& model, const DNNLinearCombinedEstimatorOptions& options)
    : Estimator(combined_model_fn(head, model), common(options)) {}

DNNLinearCombinedClassifier::DNNLinearCombinedClassifier(
    const WideAndDeep& model, const DNNLinearCombinedClassifierOptions& options)
    : Estimator(combined_model_fn(class_head(options.n_classes, options), model), common(options)) {
}

DNNLinearCombinedRegressor::DNNLinearCombinedRegressor(
    const WideAndDeep& model, const DNNLinearCombinedRegressorOptions& options)
    : Estimator(combined_model_fn(number_head(options), model), common(options)) {}

BaselineClassifier::BaselineClassifier(const BaselineClassifierOptions& options)
    : Estimator(baseline_model_fn(class_head(options.n_classes, options), options.optimizer),
                {.model_dir = options.model_dir, .config = options.config}) {}

BaselineRegressor::BaselineRegressor(const BaselineRegressorOptions& options)
    : Estimator(baseline_model_fn(number_head(options), options.optimizer),
                {.model_dir = options.model_dir, .config = options.config}) {}

}  // namespace antler::estimator
