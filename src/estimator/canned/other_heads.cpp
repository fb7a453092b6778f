#include <utility>

#include "antler/base/error.h"
#include "antler/estimator/head.h"
#include "antler/estimator/metrics.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/canned/head_parts.h"

/// Heads for several labels per example, and for numbers.
namespace antler::estimator {
namespace {

using TrainOpFn = std::function<TrainOp(const Tensor& loss)>;

class MultiLabelHead final : public Head {
 public:
  MultiLabelHead(int64_t n_classes, const MultiLabelHeadOptions& options)
      : options_(options), names_(n_classes, options.label_vocabulary) {}
  int64_t logits_dimension() const override { return names_.size(); }

  EstimatorSpec create_estimator_spec(const ModelFnArgs& args, const Tensor& logits,
                                      const TrainOpFn& train_op_fn) const override {
    check_logits(logits, names_.size());
    const Tensor probabilities = ops::sigmoid(logits);
    if (args.mode == ModeKeys::predict) return predicting(logits, probabilities);
    const Tensor labels = ops::cast(label_matrix(args, names_.size()), DType::float32);
    const Tensor cross_entropy = ops::binary_crossentropy(labels, logits, {.from_logits = true});
    const HeadLoss loss =
        reduce_loss(ops::mean(cross_entropy, -1, {.keepdims = true}),
                    example_weights(args, options_.weight_column), options_.loss_reduction);
    if (args.mode == ModeKeys::train)
      return train_spec_of(loss, options_.loss_reduction, train_op_fn);
    EvalMetricOps all = {
        {"auc", head_auc(labels, probabilities, loss.weights, "ROC")},
        {"auc_precision_recall", head_auc(labels, probabilities, loss.weights, "PR")}};
    add_loss_metrics(all, loss);
    return {.mode = args.mode, .loss = loss.total, .eval_metric_ops = std::move(all)};
  }

 private:
  EstimatorSpec predicting(const Tensor& logits, const Tensor& probabilities) const {
    const Tensor classes = names_.all_names(logits.dim(0));
    const Nest all =
        Nest::dict({{"logits", logits}, {"probabilities", probabilities}, {"classes", classes}});
    const ClassificationOutput output{.scores = probabilities, .classes = classes};
    return {.mode = ModeKeys::predict,
            .predictions = all,
            .export_outputs = ExportOutputs{{"serving_default", output},
                                            {"classification", output},
                                            {"predict", PredictOutput{all}}}};
  }

  MultiLabelHeadOptions options_;
  ClassNames names_;
};

class RegressionHead final : public Head {
 public:
  explicit RegressionHead(RegressionHeadOptions options) : options_(std::move(options)) {}
  int64_t logits_dimension() const override { return options_.label_dimension; }

  EstimatorSpec create_estimator_spec(const ModelFnArgs& args, const Tensor& logits,
                                      const TrainOpFn& train_op_fn) const override {
    check_logits(logits, options_.label_dimension);
    if (args.mode == ModeKeys::predict) {
      const Nest all = Nest::dict({{"predictions", logits}});
      const RegressionOutput value{logits};
      return {
          .mode = args.mode,
          .predictions = all,
          .export_outputs = ExportOutputs{
              {"serving_default", value}, {"regression", value}, {"predict", PredictOutput{all}}}};
    }
    const Tensor labels = ops::cast(label_matrix(args, options_.label_dimension), DType::float32);
    const HeadLoss loss =
        reduce_loss(ops::square(logits - labels), example_weights(args, options_.weight_column),
                    options_.loss_reduction);
    if (args.mode == ModeKeys::train)
      return train_spec_of(loss, options_.loss_reduction, train_op_fn);
    const metrics::MetricOptions weighted{.weights = loss.weights};
    EvalMetricOps all = {{"prediction/mean", metrics::mean(logits, weighted)},
                         {"label/mean", metrics::mean(labels, weighted)}};
    add_loss_metrics(all, loss);
    return {.mode = args.mode, .loss = loss.total, .eval_metric_ops = std::move(all)};
  }

 private:
  RegressionHeadOptions options_;
};

}  // namespace

HeadPtr multi_label_head(int64_t n_classes, const MultiLabelHeadOptions& options) {
  if (n_classes < 2) {
    throw ValueError(
        "n_classes must be > 1 for multi-label classification. Given: {}. Use binary_class_head "
        "instead.",
        n_classes);
  }
  return std::make_shared<MultiLabelHead>(n_classes, options);
}

HeadPtr regression_head(const RegressionHeadOptions& options) {
  if (options.label_dimension < 1)
    throw ValueError("Invalid label_dimension {}.", options.label_dimension);
  return std::make_shared<RegressionHead>(options);
}

}  // namespace antler::estimator
