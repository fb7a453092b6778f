#include "estimator/canned/head_parts.h"

#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/estimator/graph.h"
#include "antler/estimator/metrics.h"
#include "antler/ops/core.h"
#include "antler/ops/host_map.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/strings.h"

namespace antler::estimator {
namespace {

/// [batch] as [batch, 1].
Tensor as_column(const Tensor& x) { return x.rank() == 1 ? ops::expand_dims(x, -1) : x; }

/// The positions of words in a vocabulary; -1 for unknown words. The functions live as long as the
/// process, because programs do not keep them alive.
ops::HostFunctionPtr lookup_function(const std::vector<std::string>& vocabulary) {
  static std::map<std::vector<std::string>, ops::HostFunctionPtr> functions;
  ops::HostFunctionPtr& function = functions[vocabulary];
  if (function != nullptr) return function;
  std::unordered_map<uint64_t, int64_t> places;
  for (const std::string& word : vocabulary)
    places.emplace(string_handle(word), static_cast<int64_t>(places.size()));
  function = ops::host_function(
      [](const TensorSpec& x) {
        return TensorSpec{DType::int64, x.shape};
      },
      [places](const Tensor& x, const Tensor& out) {
        for (int64_t i = 0; i < x.size(); ++i) {
          const auto found = places.find(x.data<uint64_t>()[i]);
          out.mutable_data<int64_t>()[i] = found == places.end() ? -1 : found->second;
        }
      });
  return function;
}

}  // namespace

Tensor example_weights(const ModelFnArgs& args, const std::optional<std::string>& weight_column) {
  if (!weight_column) return {};
  if (!args.features.is_dict() || !args.features.contains(*weight_column)) {
    throw ValueError("Feature {} of the weight_column is not in features dictionary.",
                     *weight_column);
  }
  Tensor weights = as_column(ops::cast(args.features.at(*weight_column).tensor(), DType::float32));
  if (weights.rank() != 2 || weights.dim(1) != 1) {
    throw ValueError("Weights must be of shape [batch] or [batch, 1]. Received: {}",
                     args.features.at(*weight_column).shape());
  }
  return weights;
}

Tensor label_matrix(const ModelFnArgs& args, int64_t columns) {
  if (args.labels.is_none()) {
    throw ValueError(
        "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check "
        "that your data contain your label feature. Check that your input_fn properly parses and "
        "returns labels.");
  }
  Tensor labels = as_column(args.labels.tensor());
  if (labels.rank() != 2 || labels.dim(1) != columns) {
    throw ValueError(
        "Mismatched label shape. Expected labels dimension={}. Received {}. Suggested Fix: If your "
        "classifier expects one-hot encoding label, check your n_classes argument to the estimator "
        "and/or the shape of your label.",
        columns, args.labels.shape());
  }
  return labels;
}

void check_logits(const Tensor& logits, int64_t columns) {
  if (logits.rank() == 2 && logits.dim(1) == columns) return;
  throw ValueError("logits shape must be [batch, {}]. Received: {}", columns, logits.shape());
}

ClassNames::ClassNames(int64_t n_classes, std::optional<std::vector<std::string>> vocabulary)
    : n_classes_(n_classes), vocabulary_(std::move(vocabulary)) {
  if (!vocabulary_) return;
  const std::set<std::string> words(vocabulary_->begin(), vocabulary_->end());
  if (static_cast<int64_t>(words.size()) != n_classes ||
      static_cast<int64_t>(vocabulary_->size()) != n_classes) {
    throw ValueError("label_vocabulary must have {} different words. Received: {} words", n_classes,
                     vocabulary_->size());
  }
}

Tensor ClassNames::numbers_of(const Tensor& labels) const {
  const bool strings = labels.dtype() == kStringDType;
  if (strings != vocabulary_.has_value()) {
    throw ValueError(
        "Labels must be strings if, and only if, there is a label_vocabulary. Received: labels of "
        "{}",
        strings ? "strings" : dtype_name(labels.dtype()));
  }
  return strings ? ops::host_map(lookup_function(*vocabulary_), labels)
                 : ops::cast(labels, DType::int64);
}

Tensor ClassNames::names_of(const Tensor& numbers) const {
  if (!vocabulary_) return ops::as_string(numbers);
  return ops::take(string_handles(StringTensor(*vocabulary_)), numbers, 0);
}

Tensor ClassNames::all_numbers(int64_t batch) const {
  return ops::iota({batch, n_classes_}, 1, DType::int32);
}

Tensor ClassNames::all_names(int64_t batch) const { return names_of(all_numbers(batch)); }

HeadLoss reduce_loss(const Tensor& per_example, const Tensor& weights,
                     losses::Reduction reduction) {
  HeadLoss loss{.per_example = per_example, .weights = weights};
  loss.total = losses::compute_weighted_loss(
      per_example, {.weights = weights.defined() ? weights : Tensor(1.0), .reduction = reduction});
  const Tensors penalties = Graph::current().regularization_losses();
  if (!penalties.empty()) {
    loss.regularization = ops::sum(penalties);
    loss.total = loss.total + loss.regularization;
  }
  return loss;
}

EstimatorSpec train_spec_of(const HeadLoss& loss, losses::Reduction reduction,
                            const std::function<TrainOp(const Tensor& loss)>& train_op_fn) {
  if (!train_op_fn) throw ValueError("train_op_fn cannot be None.");
  summary::scalar("loss", loss.total);
  if (reduction == losses::Reduction::sum) {
    const Tensor weight =
        loss.weights.defined()
            ? ops::sum(ops::broadcast_to(loss.weights, loss.per_example.shape()))
            : Tensor::full(DType::float32, {}, static_cast<double>(loss.per_example.size()));
    summary::scalar("average_loss", ops::divide_no_nan(loss.total, weight));
  }
  if (loss.regularization.defined()) summary::scalar("regularization_loss", loss.regularization);
  return {.mode = ModeKeys::train, .loss = loss.total, .train_op = train_op_fn(loss.total)};
}

void add_loss_metrics(EvalMetricOps& metrics, const HeadLoss& loss) {
  metrics["average_loss"] = metrics::mean(loss.per_example, {.weights = loss.weights});
  if (loss.regularization.defined())
    metrics["regularization_loss"] = metrics::mean(loss.regularization);
}

EvalMetricOp head_auc(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
                      const std::string& curve) {
  return metrics::auc(labels, predictions, {.weights = weights, .curve = curve});
}

}  // namespace antler::estimator
