#include "training/callbacks/monitor_direction.h"

#include <array>
#include <string_view>

namespace antler::training {

std::string monitor_direction(const std::string& monitor,
                              const std::function<std::string(const std::string&)>& of_metric) {
  const std::string name = monitor.starts_with("val_") ? monitor.substr(4) : monitor;
  if (name == "loss" || name.ends_with("_loss")) return "down";
  if (std::string direction = of_metric(name); !direction.empty()) return direction;
  constexpr std::array<std::string_view, 3> kEnds = {"acc", "accuracy", "auc"};
  for (const std::string_view end : kEnds)
    if (name.ends_with(end)) return "up";
  return "";
}

}  // namespace antler::training
