#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/head.h"

/// Shared by the heads.
namespace antler::estimator {

/// The weights of the examples as [batch, 1] float32; undefined without a weight column. Throws
/// ValueError for a feature that is missing or has another shape.
Tensor example_weights(const ModelFnArgs& args, const std::optional<std::string>& weight_column);
/// Labels as [batch, columns]. Throws ValueError if they are missing or have another shape.
Tensor label_matrix(const ModelFnArgs& args, int64_t columns);
/// Throws ValueError unless logits are [batch, columns].
void check_logits(const Tensor& logits, int64_t columns);

/// Converts between numbers and names of classes.
class ClassNames {
 public:
  /// Throws ValueError if the vocabulary has another size or contains a word twice.
  ClassNames(int64_t n_classes, std::optional<std::vector<std::string>> vocabulary);
  /// Class numbers of labels, int64. With a vocabulary, labels are strings, and unknown ones become
  /// -1.
  Tensor numbers_of(const Tensor& labels) const;
  /// Names of class numbers, strings.
  Tensor names_of(const Tensor& numbers) const;
  /// All classes for each example, [batch, classes]: int32 numbers, and names.
  Tensor all_numbers(int64_t batch) const;
  Tensor all_names(int64_t batch) const;
  int64_t size() const { return n_classes_; }

 private:
  int64_t n_classes_;
  std::optional<std::vector<std::string>> vocabulary_;
};

/// The losses of the examples and the results derived from them.
struct HeadLoss {
  Tensor per_example;          ///< [batch, 1] or as the logits, without weights
  Tensor weights;              ///< of the examples, or undefined
  Tensor total = {};           ///< reduced, with the penalties of the graph
  Tensor regularization = {};  ///< undefined without penalties
};
HeadLoss reduce_loss(const Tensor& per_example, const Tensor& weights, losses::Reduction reduction);
/// Adds the summaries of a training and its train_op. Throws ValueError without train_op_fn.
EstimatorSpec train_spec_of(const HeadLoss& loss, losses::Reduction reduction,
                            const std::function<TrainOp(const Tensor& loss)>& train_op_fn);
/// Adds "average_loss", and "regularization_loss" if there is one.
void add_loss_metrics(EvalMetricOps& metrics, const HeadLoss& loss);
/// The area under a curve ("ROC" or "PR"), as heads compute it.
EvalMetricOp head_auc(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
                      const std::string& curve);

}  // namespace antler::estimator
