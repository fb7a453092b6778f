#include "models/mixed_precision.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "antler/nn/dtype_policy.h"
#include "antler/training/saving.h"

namespace antler::cli {
namespace {

/// Sets the policy in the configs of all nested layers except those named in `keep`.
void set_policy(Json& object, const Json& policy, const std::vector<std::string>& keep) {
  Json& config = object["config"];
  if (!config.is_object()) return;
  if (config.contains("layers")) {
    for (Json& layer : config["layers"]) set_policy(layer, policy, keep);
    return;
  }
  if (object["class_name"] == "InputLayer" || !config.contains("dtype")) return;
  const std::string name = config.value("name", "");
  if (std::find(keep.begin(), keep.end(), name) == keep.end()) config["dtype"] = policy;
  // Wrappers compute through their inner layer.
  if (config.contains("layer")) set_policy(config["layer"], policy, keep);
}

}  // namespace

Model with_dtype_policy(const Model& model, const std::string& policy) {
  Json object = Json::parse(model.to_json());
  std::vector<std::string> outputs = model.output_names();
  const auto layers = model.layers();
  if (!layers.empty()) outputs.push_back(layers.back()->name());
  set_policy(object, DTypePolicy(policy).serialize(), outputs);
  Model result = model_from_config(object);
  const Variables from = model.weights();
  const Variables to = result.weights();
  for (size_t i = 0; i < from.size() && i < to.size(); ++i) to[i].assign(from[i].value());
  if (model.compiled()) result.compile_from_config(model.get_compile_config());
  return result;
}

}  // namespace antler::cli
