#include "antler/training/callbacks/monitor_callback.h"

#include <cmath>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/training/model.h"
#include "training/callbacks/monitor_direction.h"

namespace antler {
namespace {

/// The direction of the metric with this name in the logs, which may begin with the name of an
/// output; "" if there is no such metric.
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
    logging::warning(format("{} mode '{}' is unknown, fallback to auto mode.", class_name_, mode));
  }
}

void MonitorCallback::resolve_direction() {
  if (direction_ != Direction::unknown) return;
  const std::string direction = training::monitor_direction(
      monitor_, [this](const std::string& name) { return metric_direction(*model, name); });
  if (!direction.empty()) {
    direction_ = direction == "up" ? Direction::up : Direction::down;
  } else {
    throw ValueError(
        "{} callback received monitor={}, but Keras isn't able to automatically determine whether "
        "that metric should be maximized or minimized. Pass `mode='max'` in order to monitor based "
        "on the highest metric value, or pass `mode='min'` in order to use the lowest value.",
        class_name_, monitor_);
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
