#include "antler/nn/optimizers/multi_optimizer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "base/regex.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

namespace {

void check_plain(const OptimizerPtr& optimizer) {
  if (optimizer == nullptr) {
    throw ValueError("optimizer must be a Keras Optimizer instance. Received: None");
  }
  for (const char* wrapper : {"LossScaleOptimizer", "MultiOptimizer"}) {
    if (optimizer->class_name() == wrapper) {
      throw ValueError("optimizer cannot be {}.", wrapper);
    }
  }
}

Regex expression(const std::string& key) { return Regex(key, "OptimizerMap: the key"); }

}  // namespace

OptimizerMap::OptimizerMap(OptimizerPtr default_optimizer, Entries entries)
    : default_(std::move(default_optimizer)) {
  check_plain(default_);
  for (auto& [key, optimizer] : entries) set(key, std::move(optimizer));
}

void OptimizerMap::set(const std::string& key, OptimizerPtr optimizer) {
  for (const auto& [other, present] : entries_) {
    if (other == key) {
      throw ValueError(
          "'{}' already exists in the OptimizerMap with value {}. Please make sure to not use "
          "duplicated keys.",
          key, present->name());
    }
  }
  check_plain(optimizer);
  expression(key);  // throws if it is not one
  entries_.emplace_back(key, std::move(optimizer));
}

const OptimizerPtr& OptimizerMap::at(const std::string& path) const {
  const OptimizerPtr* found = nullptr;
  for (const auto& [key, optimizer] : entries_) {
    if (key == path) return optimizer;
  }
  for (const auto& [key, optimizer] : entries_) {
    if (!expression(key).fullmatch(path)) continue;
    if (found != nullptr) {
      throw ValueError("Multiple optimizers assigned to variable {}.", path);
    }
    found = &optimizer;
  }
  return found != nullptr ? *found : default_;
}

MultiOptimizer::MultiOptimizer(OptimizerMap optimizer_map, const MultiOptimizerOptions& options)
    : OptimizerBase("MultiOptimizer", 0.0, only_name(options.name)),
      map_(std::move(optimizer_map)) {
  const auto add = [&](const OptimizerPtr& optimizer) {
    if (std::find(optimizers_.begin(), optimizers_.end(), optimizer) == optimizers_.end()) {
      optimizers_.push_back(optimizer);
    }
  };
  for (const auto& [key, optimizer] : map_.entries()) add(optimizer);
  add(map_.default_optimizer());
  set_loss_scale_factor(options.loss_scale_factor);
}

Tensor MultiOptimizer::learning_rate() const {
  throw AttributeError(
      "Learning rate cannot be accessed on a MultiOptimizer. Access the learning rate on the "
      "individual sub-optimizers instead.");
}

void MultiOptimizer::set_learning_rate(double) {
  throw AttributeError(
      "Learning rate cannot be set on a MultiOptimizer. Set the learning rate on the individual "
      "sub-optimizers instead.");
}

void MultiOptimizer::set_loss_scale_factor(std::optional<double> factor) {
  Optimizer::set_loss_scale_factor(factor);
  for (const OptimizerPtr& optimizer : optimizers_) optimizer->set_loss_scale_factor(factor);
}

size_t MultiOptimizer::index_of(const Variable& variable) const {
  const auto found = std::find(optimizers_.begin(), optimizers_.end(), map_.at(variable.path()));
  return static_cast<size_t>(found - optimizers_.begin());
}

void MultiOptimizer::build(const Variables& variables) {
  if (built()) return;
  std::vector<Variables> parts(optimizers_.size());
  for (const Variable& variable : variables) parts[index_of(variable)].push_back(variable);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].empty()) optimizers_[i]->build(parts[i]);
  }
  Optimizer::build(variables);
}

void MultiOptimizer::build_slots(const Variables&) {}

void MultiOptimizer::apply(const Tensors& gradients, const Variables& variables) {
  if (gradients.empty()) return;
  if (gradients.size() != variables.size()) {
    throw ValueError(
        "Gradients must match trainable variables one-to-one. Received {} gradients and {} "
        "variables.",
        gradients.size(), variables.size());
  }
  build(variables);
  std::vector<std::pair<Tensors, Variables>> parts(optimizers_.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    auto& [part_gradients, part_variables] = parts[index_of(variables[i])];
    part_gradients.push_back(gradients[i]);
    part_variables.push_back(variables[i]);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].first.empty()) optimizers_[i]->apply(parts[i].first, parts[i].second);
  }
  assign(iterations(), iterations().value() + 1);
}

void MultiOptimizer::update_step(const Tensor&, const Variable&, const Tensor&) {
  throw InternalError("MultiOptimizer: updates are made by the optimizers of the map.");
}

Variables MultiOptimizer::variables() const {
  Variables all = Optimizer::variables();
  for (const OptimizerPtr& optimizer : optimizers_) {
    const Variables own = optimizer->variables();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void MultiOptimizer::finalize_variable_values(const Variables& variables) {
  std::vector<Variables> parts(optimizers_.size());
  for (const Variable& variable : variables) parts[index_of(variable)].push_back(variable);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].empty()) optimizers_[i]->finalize_variable_values(parts[i]);
  }
}

Json MultiOptimizer::get_config() const {
  Json map = Json::object();
  map["default_optimizer"] = serialize(*map_.default_optimizer());
  map["optimizer_map"] = Json::object();
  for (const auto& [key, optimizer] : map_.entries()) {
    map["optimizer_map"][key] = serialize(*optimizer);
  }
  Json json = Json::object();
  json["optimizer_map"] = keras_object("keras.optimizers", "OptimizerMap", std::move(map));
  json["loss_scale_factor"] =
      base_options().loss_scale_factor ? Json(*base_options().loss_scale_factor) : Json(nullptr);
  json["name"] = name();
  return json;
}

namespace {

OptimizerPtr multi_from_config(const Json& config) {
  if (!config.contains("optimizer_map")) {
    throw TypeError("MultiOptimizer: missing required argument `optimizer_map`.");
  }
  const Json map = config::config_of(config["optimizer_map"]);
  if (!map.contains("default_optimizer")) {
    throw ValueError("MultiOptimizer: `optimizer_map` must be an OptimizerMap. Received: {}",
                     config["optimizer_map"].dump());
  }
  OptimizerMap optimizers(deserialize(map["default_optimizer"]));
  const Json entries = map.value("optimizer_map", Json::object());
  for (const auto& [key, value] : entries.items()) optimizers.set(key, deserialize(value));
  MultiOptimizerOptions options;
  if (config.contains("loss_scale_factor") && config["loss_scale_factor"].is_number()) {
    options.loss_scale_factor = config["loss_scale_factor"].get<double>();
  }
  if (config.contains("name") && config["name"].is_string()) {
    options.name = config["name"].get<std::string>();
  }
  return std::make_shared<MultiOptimizer>(std::move(optimizers), options);
}

}  // namespace

OptimizerClass multi_optimizer() { return {"MultiOptimizer", multi_from_config}; }

}  // namespace antler::optimizers
