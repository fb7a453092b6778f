#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/losses.h"
#include "antler/estimator/model_fn.h"

/// Heads compute loss, metrics, predictions and export outputs from a model's logits
/// (tf.estimator.Head), with TensorFlow's names.
namespace antler::estimator {

/// Makes the spec of a model from its logits.
class Head {
 public:
  virtual ~Head() = default;
  /// Number of logits that the model must compute for each example.
  virtual int64_t logits_dimension() const = 0;
  /// The spec for logits [batch, logits_dimension]. `train_op_fn` minimizes the loss; it is called
  /// in ModeKeys::train only. Throws ValueError for logits or labels with the wrong shape, and for
  /// missing labels.
  virtual EstimatorSpec create_estimator_spec(
      const ModelFnArgs& args, const Tensor& logits,
      const std::function<TrainOp(const Tensor& loss)>& train_op_fn) const = 0;
};
using HeadPtr = std::shared_ptr<const Head>;

/// Options that all heads have.
struct HeadOptions {
  /// The feature that holds the weights of the examples, [batch] or [batch, 1].
  std::optional<std::string> weight_column = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
};

/// Options of binary_class_head(), multi_class_head().
struct ClassHeadOptions {
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  /// Labels are these strings; not given: class numbers.
  std::optional<std::vector<std::string>> label_vocabulary = {};
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
};

/// Two classes, one logit: sigmoid cross-entropy. Labels [batch] or [batch, 1], 0 or 1.
/// Predictions: "logits", "logistic", "probabilities", "class_ids", "classes", "all_class_ids",
/// "all_classes". Metrics: "accuracy", "precision", "recall", "auc", "auc_precision_recall",
/// "average_loss", "label/mean", "prediction/mean", "accuracy_baseline".
HeadPtr binary_class_head(const ClassHeadOptions& options = {});
/// More than two classes: softmax cross-entropy. Predictions as above, but without "logistic".
/// Metrics: "accuracy", "average_loss". Throws ValueError for n_classes <= 2.
HeadPtr multi_class_head(int64_t n_classes, const ClassHeadOptions& options = {});
/// Options of multi_label_head().
struct MultiLabelHeadOptions {
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  std::optional<std::vector<std::string>> label_vocabulary = {};  ///< names of the classes
  /// How the losses of a batch are reduced.
  losses::Reduction loss_reduction = losses::Reduction::sum_over_batch_size;
};
/// Each example may have any number of the n_classes classes: the loss is the mean of their sigmoid
/// cross-entropies. Labels [batch, n_classes], 0 or 1. Predictions: "logits", "probabilities",
/// "classes".
/// Metrics: "auc", "auc_precision_recall", "average_loss". Throws ValueError for n_classes < 2.
HeadPtr multi_label_head(int64_t n_classes, const MultiLabelHeadOptions& options = {});
/// Options of regression_head().
struct RegressionHeadOptions {
  /// Feature with the weights of examples; not given: 1.
  std::optional<std::string> weight_column = {};
  int64_t label_dimension = 1;                                ///< size of a label
  losses::Reduction loss_reduction = losses::Reduction::sum;  ///< of the losses of a batch
};
/// Numbers [batch, label_dimension]: squared error. Predictions: "predictions". Metrics:
/// "average_loss", "label/mean", "prediction/mean".
HeadPtr regression_head(const RegressionHeadOptions& options = {});

}  // namespace antler::estimator
