#include "antler/training/compile_arguments.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"

namespace antler {

LossWeights LossWeights::from_config(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_number()) return json.get<double>();
  if (json.is_array()) {
    std::vector<double> list;
    for (const Json& w : json) list.push_back(w.is_null() ? 1.0 : w.get<double>());
    return list;
  }
  if (json.is_object()) {
    Items items;
    for (const auto& [name, w] : json.items()) {
      if (!w.is_null()) items.emplace_back(name, w.get<double>());
    }
    return dict(std::move(items));
  }
  throw ValueError(
      "`loss_weights` must be a number, a list or a dictionary of numbers. Received: " +
      json.dump());
}

Json LossWeights::to_config() const {
  switch (kind_) {
    case Kind::none:
      return nullptr;
    case Kind::single:
      return items_[0].second;
    case Kind::list: {
      Json list = Json::array();
      for (const auto& [name, weight] : items_) list.push_back(weight);
      return list;
    }
    case Kind::dict:
      break;
  }
  Json object = Json::object();
  for (const auto& [name, weight] : items_) object[name] = weight;
  return object;
}

StepsPerExecutionSpec::StepsPerExecutionSpec(const std::string& text) : auto_(true) {
  if (text != "auto") {
    throw TypeError("`steps_per_execution` must be a number or \"auto\". Received: \"" + text +
                    "\".");
  }
}

}  // namespace antler
