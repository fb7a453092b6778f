#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/loss.h"
#include "antler/nn/metric.h"
#include "base/did_you_mean.h"
#include "base/json_reading.h"
#include "nn/losses/families.h"
#include "nn/metrics/families.h"

namespace antler::metrics {

namespace {

/// Every metric of the library: one line per family.
std::array<MetricSpan, 12> all_families() {
  return {
      reduction_metrics(),     accuracy_metrics(), regression_metrics(), correlation_metrics(),
      probabilistic_metrics(), hinge_metrics(),    confusion_metrics(),  condition_metrics(),
      auc_metrics(),           f_score_metrics(),  iou_metrics(),        tensor_metrics(),
  };
}

struct Found {
  const MetricEntry* entry = nullptr;
  bool by_class = false;
};

Found find(std::string_view name) {
  for (const MetricSpan family : all_families()) {
    for (const MetricEntry& entry : family) {
      if (entry.class_name == name) return {&entry, true};
      if (std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end()) {
        return {&entry, false};
      }
    }
  }
  return {};
}

[[noreturn]] void throw_unknown(const std::string& name) {
  std::vector<std::string> known = {"accuracy", "crossentropy"};
  for (const MetricSpan family : all_families()) {
    for (const MetricEntry& entry : family) {
      known.emplace_back(entry.class_name);
      if (!entry.names[0].empty()) known.emplace_back(entry.names[0]);
    }
  }
  throw ValueError("Could not interpret metric identifier: '" + name + "'." +
                   suggest_names(name, "metrics", known));
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_accuracy(const std::string& name) {
  return lower(name) == "accuracy" || lower(name) == "acc";
}

}  // namespace

MetricPtr get(const std::string& name) {
  const Found found = name.empty() ? Found() : find(name);
  if (found.entry != nullptr) {
    MetricPtr metric = found.entry->make(Json::object());
    if (!found.by_class) metric->set_name(name);
    return metric;
  }
  // Keras takes the names of losses too: Huber has no metric class.
  try {
    const Loss loss = losses::get(name);
    return from_function(name, [loss](const Tensor& y_true, const Tensor& y_pred) {
      return loss.call(y_true, y_pred);
    });
  } catch (const ValueError&) {
    throw_unknown(name);
  }
}

std::string function_name(const Function& function) {
  const auto* wanted = function.target<decltype(MetricEntry::function)>();
  for (const MetricSpan family : all_families()) {
    for (const MetricEntry& entry : family) {
      if (wanted != nullptr && *wanted != nullptr && entry.function == *wanted) {
        return std::string(entry.names[0]);
      }
    }
  }
  return losses::function_name(function);
}

bool is_resolved_by_shape(const std::string& name) {
  const std::string text = lower(name);
  // The class "Accuracy" is a metric of its own.
  return name != "Accuracy" && (is_accuracy(text) || text == "crossentropy" || text == "ce");
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
  return keras_object("keras.metrics", metric.class_name(), metric.get_config());
}

MetricPtr deserialize(const Json& json) {
  if (json.is_string()) return get(json.get<std::string>());
  const std::string name = config::class_name_of(json, "metric");
  const Found found = find(name);
  if (found.entry == nullptr || !found.by_class) throw_unknown(name);
  return read_checked("a metric", json, [&] { return found.entry->make(config::config_of(json)); });
}

}  // namespace antler::metrics
