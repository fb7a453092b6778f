#include "nn/keras_op.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "nn/op_layer.h"

namespace antler {
namespace {

LayerOptions options_of(const Json& config) {
  LayerOptions options;
  if (config.contains("name") && config["name"].is_string()) {
    options.name = config["name"].get<std::string>();
  }
  return options;
}

}  // namespace

KerasOp::KerasOp(const KerasOpEntry& entry, const Json& config)
    : LayerBase(entry.class_name, options_of(config)),
      entry_(&entry),
      config_(std::make_shared<const Json>(config)) {
  set_autocast(false);
}

Nest KerasOp::call(const Nest& arguments, const CallOptions& options) {
  OpArguments list;
  for (const auto& [key, value] : arguments.items()) list.push_back(value);
  const CallValue* text = options.find(kStaticArgument);
  if (text == nullptr || !std::holds_alternative<std::string>(*text)) {
    return entry_->run(list, *config_);
  }
  Json config = *config_;
  config[kStaticArgument] = Json::parse(std::get<std::string>(*text));
  return entry_->run(list, config);
}

Json KerasOp::get_config() const {
  Json config = *config_;
  config["name"] = name();
  return config;
}

LayerPtr keras_op_from_config(const std::string& class_name, const Json& config) {
  for (const auto family : {elementwise_keras_ops(), shape_keras_ops(), numeric_keras_ops()}) {
    for (const KerasOpEntry& entry : family) {
      if (class_name == entry.class_name) return KerasOp(entry, config).share();
    }
  }
  throw NotImplementedError("The operation '" + class_name +
                            "' of keras.ops in the graph of a model is not there.");
}

bool is_operation(const Layer& layer) {
  return dynamic_cast<const OpLayer*>(&layer) != nullptr ||
         dynamic_cast<const KerasOp*>(&layer) != nullptr;
}

}  // namespace antler
