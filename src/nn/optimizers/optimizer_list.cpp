#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "antler/nn/optimizer.h"
#include "antler/nn/registered_names.h"
#include "base/regex.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

namespace {

const Registry<OptimizerPtr>& registry() {
  static const std::array classes = {
      adadelta_optimizer(),   adafactor_optimizer(),
      adagrad_optimizer(),    adam_optimizer(),
      adamax_optimizer(),     adamw_optimizer(),
      ftrl_optimizer(),       lamb_optimizer(),
      lion_optimizer(),       nadam_optimizer(),
      rmsprop_optimizer(),    sgd_optimizer(),
      muon_optimizer(),       schedule_free_adamw_optimizer(),
      loss_scale_optimizer(), multi_optimizer(),
  };
  static const Registry<OptimizerPtr> instance({.singular = "optimizer",
                                                .plural = "optimizers",
                                                .module = "keras.optimizers",
                                                .spelling = ObjectKind::Spelling::any_case},
                                               {classes});
  return instance;
}

}  // namespace

bool matches_any(const std::vector<std::string>& expressions, const std::string& text) {
  return std::any_of(expressions.begin(), expressions.end(), [&](const std::string& expression) {
    return Regex(expression, "optimizer: the name").search(text);
  });
}

std::vector<std::string> registered_optimizers() { return registry().names(); }

OptimizerPtr get(const std::string& name) { return registry().make(name); }

Json serialize(const Optimizer& optimizer) {
  return registry().serialize(optimizer.class_name(), optimizer.get_config());
}

OptimizerPtr deserialize(const Json& json) { return registry().deserialize(json); }

}  // namespace antler::optimizers
