#include "antler/training/callbacks/monitor_callback.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/training/model.h"

namespace antler {
namespace {

bool ends_like_accuracy(const std::string& name) {
  constexpr std::array<std::string_view, 3> kEnds = {"acc", "accuracy", "auc"};
  for (const std::string_view end : kEnds)
    if (name.ends_with(end)) return true;
  return false;
}

/// Direction of the metric whose value has this name in the logs; the name of its output may stand
/// before that of the metric.
std::string metric_direction(const Model& model, const std::string& name) {
  for (const MetricPtr& metric : model.metrics())
    if (metric->name() == name) return metric->direction();
  for (const MetricPtr& metric : model.metrics())
    if (name.ends_with("_" + metric->name())) return metric->direction();
  return "";
}

}  // namespace

MonitorCallback::MonitorCallback(std::string class_name, std::string monitor,
                                 const std::string& mode, double min_delta,
                                 std::optional<double> best)
    : best_(best),
      class_name_(std::move(class_name)),
      monitor_(std::move(monitor)),
      min_delta_(std::fabs(min_delta)) {
  if (mode == "min") {
    direction_ = Direction::down;
  } else if (mode == "max") {
    direction_ = Direction::up;
  } else if (mode != "auto") {
    logging::warning(class_name_ + " mode '" + mode + "' is unknown, fallback to auto mode.");
  }
}

void MonitorCallback::resolve_direction() {
  if (direction_ != Direction::unknown) return;
  const std::string name = monitor_.starts_with("val_") ? monitor_.substr(4) : monitor_;
  const std::string direction = metric_direction(*model, name);
  if (name == "loss" || name.ends_with("_loss") || direction == "down") {
    direction_ = Direction::down;
  } else if (direction == "up" || ends_like_accuracy(name)) {
    direction_ = Direction::up;
  } else {
    throw ValueError(class_name_ + " callback received monitor=" + monitor_ +
                     ", but Keras isn't able to automatically determine whether that metric should "
                     "be maximized or minimized. Pass `mode='max'` in order to monitor based on "
                     "the highest metric value, or pass `mode='min'` in order to use the lowest "
                     "value.");
  }
}

bool MonitorCallback::is_improvement(double value, const std::optional<double>& reference) const {
  if (!reference) return true;
  // Keras compares in float32.
  const auto bar = static_cast<float>(*reference);
  return direction_ == Direction::up ? static_cast<float>(value - min_delta_) > bar
                                     : static_cast<float>(value + min_delta_) < bar;
}

std::string MonitorCallback::available(const Logs& logs) {
  std::string names;
  for (const auto& [name, value] : logs) names += (names.empty() ? "" : ",") + name;
  return "Available metrics are: " + names;
}

}  // namespace antler
