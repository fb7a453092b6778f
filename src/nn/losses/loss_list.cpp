#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/loss.h"
#include "base/did_you_mean.h"
#include "base/json_reading.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

namespace {

/// Every loss of the library: one line per family.
std::array<LossSpan, 6> all_families() {
  return {
      regression_losses(),   probabilistic_losses(), hinge_losses(),
      segmentation_losses(), sequence_losses(),      metric_learning_losses(),
  };
}

const LossEntry* find(std::string_view name) {
  for (const LossSpan family : all_families()) {
    for (const LossEntry& entry : family) {
      if (entry.class_name == name) return &entry;
      if (std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end())
        return &entry;
    }
  }
  return nullptr;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const LossSpan family : all_families()) {
    for (const LossEntry& entry : family) names.emplace_back(entry.names[0]);
  }
  return names;
}

const LossEntry& find_or_throw(const std::string& name) {
  const LossEntry* entry = name.empty() ? nullptr : find(name);
  if (entry == nullptr) {
    throw ValueError("Could not interpret loss identifier: '" + name + "'." +
                     suggest_names(name, "losses (or their class names)", known_names()));
  }
  return *entry;
}

}  // namespace

Loss get(const std::string& name) { return find_or_throw(name).make(Json::object()); }

std::string function_name(const Function& function) {
  const auto* wanted = function.target<decltype(LossEntry::function)>();
  for (const LossSpan family : all_families()) {
    for (const LossEntry& entry : family) {
      if (wanted != nullptr && *wanted != nullptr && entry.function == *wanted) {
        return std::string(entry.names[0]);
      }
    }
  }
  return {};
}

Loss from_function(const std::string& name, Function function, const LossOptions& options) {
  // One of the library's own is known by its name, wherever it was given without one.
  if (const std::string known = function_name(function); name == kUnnamed && !known.empty()) {
    return get(known);
  }
  LossOptions named = options;
  if (named.name.empty()) named.name = name;
  return make_loss({"LossFunctionWrapper", "function"}, named, Json::object(), std::move(function));
}

Json serialize(const Loss& loss) {
  return keras_object("keras.losses", loss.impl().class_name(), loss.impl().get_config());
}

Loss deserialize(const Json& json) {
  if (json.is_string()) return get(json.get<std::string>());
  const std::string name = config::class_name_of(json, "loss");
  Json config = config::config_of(json);
  // Keras writes the reduction "none" as null.
  if (config.contains("reduction") && config["reduction"].is_null()) config["reduction"] = "none";
  return read_checked("a loss", json, [&] { return find_or_throw(name).make(config); });
}

}  // namespace antler::losses
