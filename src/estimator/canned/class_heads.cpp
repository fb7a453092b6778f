#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/estimator/head.h"
#include "antler/estimator/metrics.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/canned/head_parts.h"

/// Heads of one class per example.
namespace antler::estimator {
namespace {

using TrainOpFn = std::function<TrainOp(const Tensor& loss)>;

Tensor column_argmax(const Tensor& scores) {
  return ops::expand_dims(ops::cast(ops::argmax(scores, -1), DType::int64), -1);
}

/// The metric max(p, 1 - p) for a label that is 1 with probability p.
EvalMetricOp accuracy_baseline(const Tensor& labels, const Tensor& weights) {
  const EvalMetricOp mean = metrics::mean(labels, {.weights = weights});
  return {[value = mean.value] {
            const double p = value().item();
            return Tensor::full(DType::float32, {}, std::max(p, 1 - p));
          },
          ops::maximum(mean.update, 1.0 - mean.update)};
}

class ClassHead : public Head {
 public:
  ClassHead(int64_t n_classes, const ClassHeadOptions& options)
      : options_(options), names_(n_classes, options.label_vocabulary) {}

 protected:
  /// "class_ids", "classes", "all_class_ids" and "all_classes".
  void add_classes(Nest::Items& predictions, const Tensor& class_ids) const {
    predictions.emplace_back("class_ids", class_ids);
    predictions.emplace_back("classes", names_.names_of(class_ids));
    predictions.emplace_back("all_class_ids", names_.all_numbers(class_ids.dim(0)));
    predictions.emplace_back("all_classes", names_.all_names(class_ids.dim(0)));
  }
  ClassificationOutput classification(const Tensor& probabilities) const {
    return {.scores = probabilities, .classes = names_.all_names(probabilities.dim(0))};
  }

  ClassHeadOptions options_;
  ClassNames names_;
};

class BinaryClassHead final : public ClassHead {
 public:
  explicit BinaryClassHead(const ClassHeadOptions& options) : ClassHead(2, options) {}
  int64_t logits_dimension() const override { return 1; }

  EstimatorSpec create_estimator_spec(const ModelFnArgs& args, const Tensor& logits,
                                      const TrainOpFn& train_op_fn) const override {
    check_logits(logits, 1);
    if (args.mode == ModeKeys::predict) return predicting(logits);
    const Tensor labels = ops::cast(names_.numbers_of(label_matrix(args, 1)), DType::float32);
    const HeadLoss loss =
        reduce_loss(ops::binary_crossentropy(labels, logits, {.from_logits = true}),
                    example_weights(args, options_.weight_column), options_.loss_reduction);
    if (args.mode == ModeKeys::train)
      return train_spec_of(loss, options_.loss_reduction, train_op_fn);
    return {
        .mode = args.mode, .loss = loss.total, .eval_metric_ops = metrics_of(labels, logits, loss)};
  }

 private:
  static Tensor two_logits(const Tensor& logits) {
    return ops::concatenate({ops::zeros_like(logits), logits}, -1);
  }

  EstimatorSpec predicting(const Tensor& logits) const {
    const Tensor both = two_logits(logits);
    const Tensor logistic = ops::sigmoid(logits);
    const Tensor probabilities = ops::softmax(both);
    Nest::Items predictions = {
        {"logits", logits}, {"logistic", logistic}, {"probabilities", probabilities}};
    add_classes(predictions, column_argmax(both));
    const Nest all = Nest::dict(std::move(predictions));
    const ClassificationOutput classes = classification(probabilities);
    return {.mode = ModeKeys::predict,
            .predictions = all,
            .export_outputs = ExportOutputs{{"serving_default", classes},
                                            {"classification", classes},
                                            {"regression", RegressionOutput{logistic}},
                                            {"predict", PredictOutput{all}}}};
  }

  EvalMetricOps metrics_of(const Tensor& labels, const Tensor& logits, const HeadLoss& loss) const {
    const metrics::MetricOptions weighted{.weights = loss.weights};
    const Tensor logistic = ops::sigmoid(logits);
    const Tensor class_ids = column_argmax(two_logits(logits));
    EvalMetricOps all = {{"accuracy", metrics::accuracy(labels, class_ids, weighted)},
                         {"precision", metrics::precision(labels, class_ids, weighted)},
                         {"recall", metrics::recall(labels, class_ids, weighted)},
                         {"prediction/mean", metrics::mean(logistic, weighted)},
                         {"label/mean", metrics::mean(labels, weighted)},
                         {"accuracy_baseline", accuracy_baseline(labels, loss.weights)},
                         {"auc", head_auc(labels, logistic, loss.weights, "ROC")},
                         {"auc_precision_recall", head_auc(labels, logistic, loss.weights, "PR")}};
    add_loss_metrics(all, loss);
    return all;
  }
};

class MultiClassHead final : public ClassHead {
 public:
  using ClassHead::ClassHead;
  int64_t logits_dimension() const override { return names_.size(); }

  EstimatorSpec create_estimator_spec(const ModelFnArgs& args, const Tensor& logits,
                                      const TrainOpFn& train_op_fn) const override {
    check_logits(logits, names_.size());
    const Tensor class_ids = column_argmax(logits);
    if (args.mode == ModeKeys::predict) return predicting(logits, class_ids);
    const Tensor labels = names_.numbers_of(label_matrix(args, 1));
    const Tensor cross_entropy = ops::sparse_categorical_crossentropy(
        ops::squeeze(labels, -1), logits, {.from_logits = true});
    const HeadLoss loss =
        reduce_loss(ops::expand_dims(cross_entropy, -1),
                    example_weights(args, options_.weight_column), options_.loss_reduction);
    if (args.mode == ModeKeys::train)
      return train_spec_of(loss, options_.loss_reduction, train_op_fn);
    EvalMetricOps all = {
        {"accuracy", metrics::accuracy(labels, class_ids, {.weights = loss.weights})}};
    add_loss_metrics(all, loss);
    return {.mode = args.mode, .loss = loss.total, .eval_metric_ops = std::move(all)};
  }

 private:
  EstimatorSpec predicting(const Tensor& logits, const Tensor& class_ids) const {
    const Tensor probabilities = ops::softmax(logits);
    Nest::Items predictions = {{"logits", logits}, {"probabilities", probabilities}};
    add_classes(predictions, class_ids);
    const Nest all = Nest::dict(std::move(predictions));
    const ClassificationOutput classes = classification(probabilities);
    return {.mode = ModeKeys::predict,
            .predictions = all,
            .export_outputs = ExportOutputs{{"serving_default", classes},
                                            {"classification", classes},
                                            {"predict", PredictOutput{all}}}};
  }
};

}  // namespace

HeadPtr binary_class_head(const ClassHeadOptions& options) {
  return std::make_shared<BinaryClassHead>(options);
}

HeadPtr multi_class_head(int64_t n_classes, const ClassHeadOptions& options) {
  if (n_classes <= 2) {
    throw ValueError("n_classes must be > 2: {}. Use binary_class_head for two classes.",
                     n_classes);
  }
  return std::make_shared<MultiClassHead>(n_classes, options);
}

}  // namespace antler::estimator
