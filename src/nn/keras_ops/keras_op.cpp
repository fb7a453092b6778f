#include "nn/keras_op.h"

#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "base/json_reading.h"
#include "nn/keras_ops/arguments.h"
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

/// Operations that are one op and have no configuration.
std::span<const KerasOpEntry> plain_keras_ops() {
  static const std::vector<KerasOpEntry> entries = [] {
    std::vector<KerasOpEntry> list;
    for (const OpNames& names : op_names()) {
      if (names.keras != nullptr && names.function)
        list.push_back({names.keras, nullptr, names.keras_module, names.function});
    }
    return list;
  }();
  return entries;
}

/// The entry with this class name; null if there is none. The plain operations are searched last,
/// because the other entries of TrueDivide and Round do more.
const KerasOpEntry* find_keras_op(std::string_view class_name) {
  for (const auto family : {elementwise_keras_ops, shape_keras_ops, numeric_keras_ops,
                            numpy_keras_ops, statistics_keras_ops, linalg_keras_ops,
                            neural_keras_ops, image_keras_ops, plain_keras_ops}) {
    for (const KerasOpEntry& entry : family()) {
      if (class_name == entry.class_name) return &entry;
    }
  }
  return nullptr;
}

}  // namespace

Nest KerasOpEntry::call(const OpArguments& arguments, const Json& config) const {
  if (run != nullptr) return run(arguments, config);
  return function([&](size_t i) { return keras_ops::operand(arguments, i); });
}

KerasOp::KerasOp(const KerasOpEntry& entry, const Json& config)
    : LayerBase(entry.class_name, options_of(config)),
      entry_(&entry),
      config_(std::make_shared<const Json>(config)) {
  set_autocast(false);
}

Nest KerasOp::call(const Nest& arguments, const CallOptions& options) {
  OpArguments list;
  for (const auto& [key, value] : arguments.items()) list.push_back(value);
  const std::string what = format("the arguments of keras.ops.{}", class_name());
  const auto call = [&](const Json& config) {
    return read_checked(what.c_str(), config, [&] { return entry_->call(list, config); });
  };
  const CallValue* text = options.find(kStaticArgument);
  if (text == nullptr || !std::holds_alternative<std::string>(*text)) return call(*config_);
  Json config = *config_;
  config[kStaticArgument] = Json::parse(std::get<std::string>(*text));
  return call(config);
}

Json KerasOp::get_config() const {
  Json config = *config_;
  config["name"] = name();
  return config;
}

LayerPtr keras_op_from_config(const std::string& class_name, const Json& config) {
  if (const KerasOpEntry* entry = find_keras_op(class_name)) return KerasOp(*entry, config).share();
  throw NotImplementedError(
      "The operation '{}' of keras.ops is not supported in the graph of a model.", class_name);
}

std::string keras_op_module(std::string_view class_name) {
  const KerasOpEntry* entry = find_keras_op(class_name);
  return std::string("keras.src.ops.") + (entry == nullptr ? "numpy" : entry->module);
}

bool is_operation(const Layer& layer) {
  return dynamic_cast<const OpLayer*>(&layer) != nullptr ||
         dynamic_cast<const KerasOp*>(&layer) != nullptr;
}

}  // namespace antler
