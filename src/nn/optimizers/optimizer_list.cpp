#include <algorithm>
#include <cctype>
#include <regex>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/optimizer.h"
#include "base/did_you_mean.h"
#include "base/json_reading.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

namespace {

/// Every optimizer of the library: one line each.
std::array<OptimizerEntry, 16> all_optimizers() {
  return {
      adadelta_optimizer(),   adafactor_optimizer(),
      adagrad_optimizer(),    adam_optimizer(),
      adamax_optimizer(),     adamw_optimizer(),
      ftrl_optimizer(),       lamb_optimizer(),
      lion_optimizer(),       nadam_optimizer(),
      rmsprop_optimizer(),    sgd_optimizer(),
      muon_optimizer(),       schedule_free_adamw_optimizer(),
      loss_scale_optimizer(), multi_optimizer(),
  };
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// By class name in any case: Keras's "adam", "Adam", "ADAM".
OptimizerPtr make(const std::string& name, const Json& config) {
  std::vector<std::string> known;
  for (const OptimizerEntry& entry : all_optimizers()) {
    if (lower(entry.class_name) == lower(name)) return entry.make(config);
    known.push_back(lower(entry.class_name));
  }
  throw ValueError("Could not interpret optimizer identifier: '" + name + "'." +
                   suggest_names(name, "optimizers", known));
}

}  // namespace

bool matches_any(const std::vector<std::string>& expressions, const std::string& text) {
  return std::any_of(expressions.begin(), expressions.end(), [&](const std::string& expression) {
    return std::regex_search(text, std::regex(expression));
  });
}

OptimizerPtr get(const std::string& name) { return make(name, Json::object()); }

Json serialize(const Optimizer& optimizer) {
  return keras_object("keras.optimizers", optimizer.class_name(), optimizer.get_config());
}

OptimizerPtr deserialize(const Json& json) {
  if (json.is_string()) return get(json.get<std::string>());
  const std::string name = config::class_name_of(json, "optimizer");
  return read_checked("an optimizer", json, [&] { return make(name, config::config_of(json)); });
}

}  // namespace antler::optimizers
