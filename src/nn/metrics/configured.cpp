#include "antler/nn/metrics/configured.h"

#include <nlohmann/json.hpp>

namespace antler::metrics {

ConfiguredMetric::ConfiguredMetric(std::string class_name, std::string name, DType dtype,
                                   const Json& config, std::string direction)
    : Metric(std::move(class_name), std::move(name), dtype),
      config_(std::make_shared<const Json>(config)),
      direction_(std::move(direction)) {}

Json ConfiguredMetric::get_config() const {
  Json json = Metric::get_config();
  for (const auto& [key, value] : config_->items()) {
    if (key != "name" && key != "dtype") json[key] = value;
  }
  return json;
}

}  // namespace antler::metrics
