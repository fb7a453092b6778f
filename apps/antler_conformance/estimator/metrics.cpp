#include "antler/estimator/metrics.h"
#include "antler/nn/metrics.h"
#include "estimator/losses_metrics.h"

namespace antler::conformance::estimators {
namespace {

/// The tensors and numbers that a metric is called with.
struct MetricCall {
  const Json& args;
  const Json& kwargs;
  const NamedTensors& tensors;

  Tensor operator[](const char* name) const { return tensors.at(args.at(name).get<std::string>()); }
  Tensor labels() const { return (*this)["labels"]; }
  Tensor predictions() const { return (*this)["predictions"]; }
  Tensor weights() const { return args.contains("weights") ? (*this)["weights"] : Tensor(); }
  double value(const char* name) const { return number(kwargs.at(name)); }
  int64_t integer(const char* name) const { return kwargs.at(name).get<int64_t>(); }
  std::vector<double> thresholds() const {
    return kwargs.at("thresholds").get<std::vector<double>>();
  }
};

using est::EvalMetricOp;
namespace tf_metrics = est::metrics;

using OfPredictions = EvalMetricOp (*)(const Tensor& labels, const Tensor& predictions,
                                       const tf_metrics::MetricOptions& options);
constexpr std::pair<const char*, OfPredictions> kOfPredictions[] = {
    {"accuracy", tf_metrics::accuracy},
    {"mean_absolute_error", tf_metrics::mean_absolute_error},
    {"mean_squared_error", tf_metrics::mean_squared_error},
    {"root_mean_squared_error", tf_metrics::root_mean_squared_error},
    {"true_positives", tf_metrics::true_positives},
    {"true_negatives", tf_metrics::true_negatives},
    {"false_positives", tf_metrics::false_positives},
    {"false_negatives", tf_metrics::false_negatives},
    {"precision", tf_metrics::precision},
    {"recall", tf_metrics::recall},
};

using AtThresholds = EvalMetricOp (*)(const Tensor& labels, const Tensor& predictions,
                                      const std::vector<double>& thresholds,
                                      const tf_metrics::MetricOptions& options);
constexpr std::pair<const char*, AtThresholds> kAtThresholds[] = {
    {"true_positives_at_thresholds", tf_metrics::true_positives_at_thresholds},
    {"true_negatives_at_thresholds", tf_metrics::true_negatives_at_thresholds},
    {"false_positives_at_thresholds", tf_metrics::false_positives_at_thresholds},
    {"false_negatives_at_thresholds", tf_metrics::false_negatives_at_thresholds},
    {"precision_at_thresholds", tf_metrics::precision_at_thresholds},
    {"recall_at_thresholds", tf_metrics::recall_at_thresholds},
};

EvalMetricOp call_auc(const MetricCall& call) {
  tf_metrics::AUCOptions options{.weights = call.weights()};
  read_member(call.kwargs, "num_thresholds", options.num_thresholds);
  read_member(call.kwargs, "curve", options.curve);
  read_member(call.kwargs, "summation_method", options.summation_method);
  read_member(call.kwargs, "thresholds", options.thresholds);
  return tf_metrics::auc(call.labels(), call.predictions(), options);
}

EvalMetricOp call_at_k(const std::string& name, const MetricCall& call) {
  tf_metrics::AtKOptions options{.weights = call.weights()};
  read_member(call.kwargs, "class_id", options.class_id);
  const auto function =
      name == "recall_at_k" ? tf_metrics::recall_at_k : tf_metrics::precision_at_k;
  return function(call.labels(), call.predictions(), call.integer("k"), options);
}

EvalMetricOp call_metric(const std::string& name, const MetricCall& call) {
  const tf_metrics::MetricOptions options{.weights = call.weights()};
  for (const auto& [known, function] : kOfPredictions) {
    if (name == known) return function(call.labels(), call.predictions(), options);
  }
  for (const auto& [known, function] : kAtThresholds) {
    if (name == known) {
      return function(call.labels(), call.predictions(), call.thresholds(), options);
    }
  }
  if (name == "mean") return tf_metrics::mean(call["values"], options);
  if (name == "mean_tensor") return tf_metrics::mean_tensor(call["values"], options);
  if (name == "percentage_below") {
    return tf_metrics::percentage_below(call["values"], call.value("threshold"), options);
  }
  if (name == "mean_relative_error") {
    return tf_metrics::mean_relative_error(call.labels(), call.predictions(), call["normalizer"],
                                           options);
  }
  if (name == "mean_cosine_distance") {
    return tf_metrics::mean_cosine_distance(call.labels(), call.predictions(), call.integer("dim"),
                                            options);
  }
  if (name == "auc") return call_auc(call);
  if (name == "sensitivity_at_specificity" || name == "specificity_at_sensitivity") {
    tf_metrics::ThresholdSearchOptions search{.weights = call.weights()};
    read_member(call.kwargs, "num_thresholds", search.num_thresholds);
    if (name == "sensitivity_at_specificity") {
      return tf_metrics::sensitivity_at_specificity(call.labels(), call.predictions(),
                                                    call.value("specificity"), search);
    }
    return tf_metrics::specificity_at_sensitivity(call.labels(), call.predictions(),
                                                  call.value("sensitivity"), search);
  }
  if (name == "mean_per_class_accuracy") {
    return tf_metrics::mean_per_class_accuracy(call.labels(), call.predictions(),
                                               call.integer("num_classes"), options);
  }
  if (name == "mean_iou") {
    return tf_metrics::mean_iou(call.labels(), call.predictions(), call.integer("num_classes"),
                                options);
  }
  if (name == "precision_at_k" || name == "recall_at_k") return call_at_k(name, call);
  throw Unsupported{"the metric '" + name + "'"};
}

EvalMetricOp keras_metric(const std::string& name, const MetricCall& call) {
  const MetricPtr metric =
      metrics::deserialize(Json({{"class_name", name}, {"config", call.kwargs}}));
  const auto tensor = [&](const char* key) {
    return call.args.contains(key) ? call[key] : Tensor();
  };
  const Tensor first = call.args.contains("values") ? call["values"] : tensor("y_true");
  metric->update_state(first, tensor("y_pred"), tensor("sample_weight"));
  return metric;
}

}  // namespace

est::EvalMetricOp metric_of(const Json& metric, const NamedTensors& tensors) {
  static const Json none = Json::object();
  const Json& kwargs = metric.contains("kwargs") ? metric["kwargs"] : none;
  const Json& args = metric.contains("args") ? metric["args"] : none;
  const MetricCall call{args, kwargs, tensors};
  const auto name = metric.at("metric").get<std::string>();
  return member(metric, "keras") == true ? keras_metric(name, call) : call_metric(name, call);
}

}  // namespace antler::conformance::estimators
