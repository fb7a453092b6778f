#include "antler/training/compile_arguments.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"

namespace antler {

LossWeights LossWeights::from_config(const Json& json) {
  const auto number = [&json](const Json& weight) {
    if (weight.is_number()) return weight.get<double>();
    throw ValueError(
        "`loss_weights` must be a number, a list or a dictionary of numbers. Received: {}",
        json.dump());
  };
  if (json.is_null()) return {};
  if (json.is_array()) {
    std::vector<double> list;
    for (const Json& w : json) list.push_back(w.is_null() ? 1.0 : number(w));
    return list;
  }
  if (json.is_object()) {
    Items items;
    for (const auto& [name, w] : json.items()) {
      if (!w.is_null()) items.emplace_back(name, number(w));
    }
    return dict(std::move(items));
  }
  return number(json);
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

EvaluationShards::EvaluationShards(const char* value) : auto_(true) {
  if (std::string_view(value) != "auto") {
    throw ValueError("`pss_evaluation_shards` must be a number or \"auto\". Received: \"{}\".",
                     value);
  }
}

int64_t EvaluationShards::check(int64_t shards) {
  if (shards < 0) {
    throw ValueError("`pss_evaluation_shards` must not be negative. Received: {}.", shards);
  }
  return shards;
}

StepsPerExecutionSpec::StepsPerExecutionSpec(const std::string& value) : auto_(true) {
  if (value != "auto") {
    throw TypeError("`steps_per_execution` must be a number or \"auto\". Received: \"{}\".", value);
  }
}

}  // namespace antler
