#pragma once

#include <functional>
#include <string>

namespace antler::training {

/// Whether a logged value should go "up" or "down", by the rule of Keras's MonitorCallback with
/// mode "auto": losses go down, a metric has its own direction, and other names that end in "acc",
/// "accuracy" or "auc" go up. "": unknown. `of_metric` returns the direction of the metric with a
/// name (without "val_"), or "".
std::string monitor_direction(const std::string& monitor,
                              const std::function<std::string(const std::string&)>& of_metric);

}  // namespace antler::training
