#include "nn/keras_op.h"

#include <algorithm>
#include <iterator>

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

/// The entry of a class name; null where there is none.
const KerasOpEntry* find_keras_op(std::string_view class_name) {
  for (const auto family :
       {elementwise_keras_ops, shape_keras_ops, numeric_keras_ops, numpy_keras_ops,
        statistics_keras_ops, linalg_keras_ops, neural_keras_ops, image_keras_ops}) {
    for (const KerasOpEntry& entry : family()) {
      if (class_name == entry.class_name) return &entry;
    }
  }
  return nullptr;
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
  if (const KerasOpEntry* entry = find_keras_op(class_name)) return KerasOp(*entry, config).share();
  throw NotImplementedError("The operation '" + class_name +
                            "' of keras.ops in the graph of a model is not there.");
}

std::string keras_op_module(std::string_view class_name) {
  static constexpr std::string_view kNn[] = {
      "Relu",       "Relu6",      "Sigmoid",     "Silu",       "Selu",          "Softplus",
      "Softsign",   "LogSigmoid", "HardSigmoid", "HardSilu",   "LeakyRelu",     "Elu",
      "Celu",       "Gelu",       "Softmax",     "LogSoftmax", "MaxPool",       "AveragePool",
      "Normalize",  "HardTanh",   "TanhShrink",  "SparsePlus", "SparseSigmoid", "SoftShrink",
      "HardShrink", "Squareplus", "Glu",         "Sparsemax",  "Threshold",     "OneHot"};
  static constexpr std::string_view kMath[] = {"Rsqrt", "Erf", "Logsumexp", "TopK", "Erfinv"};
  static constexpr std::string_view kCore[] = {"StopGradient", "Cast", "Slice", "Unstack"};
  const KerasOpEntry* entry = find_keras_op(class_name);
  if (entry != nullptr && entry->module != nullptr) {
    return std::string("keras.src.ops.") + entry->module;
  }
  const auto holds = [&](const auto& list) {
    return std::find(std::begin(list), std::end(list), class_name) != std::end(list);
  };
  const char* module = holds(kNn) ? "nn" : holds(kMath) ? "math" : holds(kCore) ? "core" : "numpy";
  return std::string("keras.src.ops.") + module;
}

bool is_operation(const Layer& layer) {
  return dynamic_cast<const OpLayer*>(&layer) != nullptr ||
         dynamic_cast<const KerasOp*>(&layer) != nullptr;
}

}  // namespace antler
