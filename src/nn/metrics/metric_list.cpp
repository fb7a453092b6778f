#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/loss.h"
#include "antler/nn/metric.h"
#include "antler/nn/registered_names.h"
#include "nn/losses/families.h"
#include "nn/metrics/families.h"

namespace antler::metrics {

namespace {

const Metrics& registry() {
  static const Metrics instance(
      {.singular = "metric", .plural = "metrics", .module = "keras.metrics"},
      {reduction_metrics(), accuracy_metrics(), regression_metrics(), correlation_metrics(),
       probabilistic_metrics(), hinge_metrics(), confusion_metrics(), condition_metrics(),
       auc_metrics(), f_score_metrics(), iou_metrics(), tensor_metrics()});
  return instance;
}

bool is_accuracy(const std::string& name) {
  const std::string lower = to_lower(name);
  return lower == "accuracy" || lower == "acc";
}

}  // namespace

std::vector<std::string> registered_metrics() {
  std::vector<std::string> names = registry().names();
  names.insert(names.begin(), {"accuracy", "crossentropy"});
  return names;
}

MetricPtr get(const std::string& name) {
  const MetricClass* found = registry().find(name);
  if (found != nullptr || get_registered_object(name).as<MetricPtr>() != nullptr) {
    MetricPtr metric = registry().make(name);
    if (found != nullptr && found->name != name) metric->set_name(name);
    return metric;
  }
  // Keras accepts the names of losses too: Huber has no metric class.
  try {
    const Loss loss = losses::get(name);
    return from_function(name, [loss](const Tensor& y_true, const Tensor& y_pred) {
      return loss.call(y_true, y_pred);
    });
  } catch (const ValueError&) {
    registry().throw_unknown(name);
  }
}

std::string function_name(const Function& function) {
  const auto* wanted = function.target<decltype(MetricClass::function)>();
  if (wanted != nullptr && *wanted != nullptr) {
    for (const MetricClass* entry : registry().classes()) {
      if (entry->function == *wanted) return std::string(entry->aliases[0]);
    }
  }
  return losses::function_name(function);
}

bool is_resolved_by_shape(const std::string& name) {
  const std::string lower = to_lower(name);
  return is_accuracy(name) || lower == "crossentropy" || lower == "ce";
}

MetricPtr get_by_shape(const std::string& name, const Shape& y_true, const Shape& y_pred) {
  if (!is_resolved_by_shape(name)) return get(name);
  const int64_t classes = y_pred.empty() ? 1 : y_pred.back();
  const bool binary = classes == 1 || y_pred.rank() < 2;
  const bool sparse = y_true.rank() < y_pred.rank() || (!y_true.empty() && y_true.back() == 1);
  const std::string suffix = is_accuracy(name) ? "Accuracy" : "Crossentropy";
  MetricPtr metric = get((binary   ? "Binary"
                          : sparse ? "SparseCategorical"
                                   : "Categorical") +
                         suffix);
  metric->set_name(name);
  return metric;
}

Json serialize(const Metric& metric) {
  return registry().serialize(metric.class_name(), metric.get_config());
}

MetricPtr deserialize(const Json& json) { return registry().deserialize(json); }

}  // namespace antler::metrics
