#include "antler/nn/dtype_policy_map.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "base/regex.h"
#include "base/strings.h"
#include "nn/config_fields.h"

namespace antler {

DTypePolicyMap::DTypePolicyMap(std::optional<DTypePolicy> default_policy)
    : default_policy_(std::move(default_policy)) {
  if (default_policy_ && default_policy_->map != nullptr) {
    throw ValueError("`default_policy` cannot be a `DTypePolicyMap`.");
  }
}

void DTypePolicyMap::set(const std::string& key, const DTypePolicy& policy) {
  if (contains(key)) {
    throw ValueError(
        "{} already exists in the DTypePolicyMap with value {}. Please make sure not to use "
        "duplicated keys.",
        key, at(key).name);
  }
  policies_.emplace_back(key, policy);
  policies_.back().second.map = nullptr;
}

void DTypePolicyMap::erase(const std::string& key) {
  std::erase_if(policies_, [&](const auto& entry) { return entry.first == key; });
}

bool DTypePolicyMap::contains(const std::string& key) const {
  return std::ranges::any_of(policies_, [&](const auto& entry) { return entry.first == key; });
}

DTypePolicy DTypePolicyMap::at(const std::string& path) const {
  for (const auto& [key, policy] : policies_) {
    if (key == path) return policy;
  }
  const DTypePolicy* match = nullptr;
  std::vector<std::string> keys;
  for (const auto& [key, policy] : policies_) {
    if (!Regex(key, "DTypePolicyMap: the key").fullmatch(path)) continue;
    keys.push_back(key);
    if (match != nullptr) {
      throw ValueError(
          "Path '{}' matches multiple dtype policy specification keys: ['{}']. Please make sure "
          "each path only matches at most one dtype policy specification key in the "
          "DTypePolicyMap.",
          path, join(keys, "', '"));
    }
    match = &policy;
  }
  return match != nullptr ? *match : default_policy();
}

DTypePolicy DTypePolicyMap::default_policy() const {
  return default_policy_ ? *default_policy_ : mixed_precision::global_policy();
}

DTypePolicy DTypePolicyMap::policy() const {
  DTypePolicy policy = default_policy();
  policy.name = "map_" + policy.name;
  policy.map = std::make_shared<DTypePolicyMap>(*this);
  return policy;
}

Json DTypePolicyMap::serialize() const {
  Json policies = Json::object();
  for (const auto& [key, policy] : policies_) {
    Json json = policy.serialize();
    // As in Keras: without a default policy, the file uses the global policy of its reader.
    if (!default_policy_) {
      json["config"][policy.quantization_mode.empty() ? "name" : "source_name"] = nullptr;
    }
    policies[key] = std::move(json);
  }
  return keras_object("keras.dtype_policies", "DTypePolicyMap",
                      {{"default_policy", default_policy_ ? default_policy_->serialize() : Json()},
                       {"policy_map", std::move(policies)}});
}

DTypePolicyMap DTypePolicyMap::deserialize(const Json& json) {
  const Json config = config::config_of(json);
  std::optional<DTypePolicy> default_policy;
  if (config.contains("default_policy") && !config["default_policy"].is_null()) {
    default_policy = DTypePolicy::deserialize(config["default_policy"]);
  }
  DTypePolicyMap map(std::move(default_policy));
  if (!config.contains("policy_map") || !config["policy_map"].is_object()) {
    throw ValueError("DTypePolicyMap: `policy_map` must be a dict. Received: {}", config.dump());
  }
  for (const auto& [key, policy] : config["policy_map"].items()) {
    map.set(key, DTypePolicy::deserialize(policy));
  }
  return map;
}

}  // namespace antler
