#include <algorithm>
#include <cctype>

#include "antler/estimator/losses.h"
#include "antler/ops/ops.h"
#include "estimator/losses_metrics.h"

namespace antler::conformance::estimators {
namespace {

using est::losses::Reduction;

Reduction loss_reduction(const Json& kwargs) {
  const Json& name = member(kwargs, "reduction");
  if (name.is_null()) return Reduction::sum_by_nonzero_weights;
  const std::pair<const char*, Reduction> kNames[] = {
      {"none", Reduction::none},
      {"weighted_sum", Reduction::sum},
      {"weighted_mean", Reduction::mean},
      {"weighted_sum_over_batch_size", Reduction::sum_over_batch_size},
      {"weighted_sum_by_nonzero_weights", Reduction::sum_by_nonzero_weights}};
  auto text = name.get<std::string>();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [known, reduction] : kNames) {
    if (text == known || "weighted_" + text == known) return reduction;
  }
  throw Unsupported{"the reduction " + name.dump()};
}

/// The tensors and numbers that a loss is called with.
struct LossCall {
  const Json& args;
  const Json& kwargs;
  const NamedTensors& tensors;

  Tensor operator[](const char* name) const { return tensors.at(args.at(name).get<std::string>()); }
  Tensor weights() const {
    if (args.contains("weights")) return tensors.operand(args["weights"]);
    return kwargs.contains("weights") ? tensors.operand(kwargs["weights"]) : Tensor(1.0);
  }
  double value(const char* name, double otherwise) const {
    return kwargs.contains(name) ? number(kwargs[name]) : otherwise;
  }
};

Tensor call_loss(const std::string& fn, const LossCall& call) {
  namespace losses = est::losses;
  const Tensor weights = call.weights();
  const Reduction reduction = loss_reduction(call.kwargs);
  const losses::LossOptions options{.weights = weights, .reduction = reduction};
  if (fn == "absolute_difference") {
    return losses::absolute_difference(call["labels"], call["predictions"], options);
  }
  if (fn == "mean_squared_error") {
    return losses::mean_squared_error(call["labels"], call["predictions"], options);
  }
  if (fn == "hinge_loss") return losses::hinge_loss(call["labels"], call["logits"], options);
  if (fn == "huber_loss") {
    return losses::huber_loss(
        call["labels"], call["predictions"],
        {.weights = weights, .delta = call.value("delta", 1), .reduction = reduction});
  }
  if (fn == "log_loss") {
    return losses::log_loss(
        call["labels"], call["predictions"],
        {.weights = weights, .epsilon = call.value("epsilon", 1e-7), .reduction = reduction});
  }
  if (fn == "cosine_distance") {
    const double axis =
        call.kwargs.contains("axis") ? number(call.kwargs["axis"]) : number(call.kwargs.at("dim"));
    return losses::cosine_distance(call["labels"], call["predictions"], static_cast<int64_t>(axis),
                                   options);
  }
  if (fn == "mean_pairwise_squared_error") {
    return losses::mean_pairwise_squared_error(call["labels"], call["predictions"], weights);
  }
  if (fn == "sparse_softmax_cross_entropy") {
    return losses::sparse_softmax_cross_entropy(call["labels"], call["logits"], options);
  }
  const losses::CrossEntropyOptions smoothed{.weights = weights,
                                             .label_smoothing = call.value("label_smoothing", 0),
                                             .reduction = reduction};
  if (fn == "sigmoid_cross_entropy") {
    return losses::sigmoid_cross_entropy(call["multi_class_labels"], call["logits"], smoothed);
  }
  if (fn == "softmax_cross_entropy") {
    return losses::softmax_cross_entropy(call["onehot_labels"], call["logits"], smoothed);
  }
  throw Unsupported{"the loss '" + fn + "'"};
}

}  // namespace

Tensor loss_of(const Json& loss, const NamedTensors& tensors) {
  if (loss.contains("sum")) {
    Tensor total;
    for (const Json& part : loss["sum"]) {
      const double factor = part.contains("factor") ? number(part["factor"]) : 1;
      const Tensor term = loss_of(part, tensors) * factor;
      total = total.defined() ? total + term : term;
    }
    return total;
  }
  static const Json none = Json::object();
  const Json& kwargs = loss.contains("kwargs") ? loss["kwargs"] : none;
  return call_loss(loss.at("fn").get<std::string>(), LossCall{loss.at("args"), kwargs, tensors});
}

}  // namespace antler::conformance::estimators
