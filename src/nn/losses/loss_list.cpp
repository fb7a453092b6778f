#include <string>
#include <utility>
#include <vector>

#include "antler/nn/loss.h"
#include "antler/nn/registered_names.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

namespace {

const Losses& registry() {
  static const Losses instance(
      {.singular = "loss", .plural = "losses", .module = "keras.losses"},
      {regression_losses(), probabilistic_losses(), hinge_losses(), segmentation_losses(),
       sequence_losses(), metric_learning_losses()});
  return instance;
}

}  // namespace

std::vector<std::string> registered_losses() { return registry().names(); }

Loss get(const std::string& name) {
  Loss loss = registry().make(name);
  if (loss.name() != kUnnamed) return loss;
  // A registered function, which has no name of its own.
  return from_function(name, [loss = std::move(loss)](const Tensor& y_true, const Tensor& y_pred) {
    return loss.call(y_true, y_pred);
  });
}

std::string function_name(const Function& function) {
  const auto* wanted = function.target<decltype(LossClass::function)>();
  if (wanted == nullptr || *wanted == nullptr) return {};
  for (const LossClass* entry : registry().classes()) {
    if (entry->function == *wanted) return std::string(entry->aliases[0]);
  }
  return {};
}

Loss from_function(const std::string& name, Function function, const LossOptions& options) {
  // A function of the library has a known name even if none was given.
  if (const std::string known = function_name(function); name == kUnnamed && !known.empty()) {
    return get(known);
  }
  LossOptions named = options;
  if (named.name.empty()) named.name = name;
  return make_loss({"LossFunctionWrapper", "function"}, named, Json::object(), std::move(function));
}

Json serialize(const Loss& loss) {
  return registry().serialize(loss.impl().class_name(), loss.impl().get_config());
}

Loss deserialize(const Json& json) { return registry().deserialize(json); }

}  // namespace antler::losses

namespace antler {

Loss::Loss(const std::string& name) : Loss(losses::get(name)) {}

Loss Loss::from(std::function<Tensor(const Tensor&, const Tensor&)> function) {
  return losses::from_function(std::string(losses::kUnnamed), std::move(function));
}

}  // namespace antler
