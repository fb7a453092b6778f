#include <mutex>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers/core.h"
#include "nn/layers/classes.h"

namespace antler {

namespace {

std::mutex g_lambda_mutex;
std::vector<std::pair<std::string, LambdaFunction>>& lambda_functions() {
  static std::vector<std::pair<std::string, LambdaFunction>> instance;
  return instance;
}

LambdaFunction find_lambda(const std::string& name) {
  const std::lock_guard lock(g_lambda_mutex);
  for (const auto& [known, function] : lambda_functions()) {
    if (known == name) return function;
  }
  throw ValueError(
      "Lambda: unknown function '{}'. Register your own functions with "
      "register_lambda().",
      name);
}

}  // namespace

template <class V>
void fields(V& v, LambdaOptions& o) {
  v("output_shape", o.output_shape);
}

void register_lambda(const std::string& name, LambdaFunction function) {
  const std::lock_guard lock(g_lambda_mutex);
  for (auto& [known, old] : lambda_functions()) {
    if (known == name) {
      old = std::move(function);
      return;
    }
  }
  lambda_functions().emplace_back(name, std::move(function));
}

Lambda::Lambda(const std::string& function, LambdaOptions options)
    : Lambda(function, find_lambda(function), std::move(options)) {}

Lambda::Lambda(std::string name, LambdaFunction function, LambdaOptions options)
    : LayerOf(std::move(options)), function_name_(std::move(name)), function_(std::move(function)) {
  set_supports_masking(options_.supports_masking);
}

Nest Lambda::call(const Nest& inputs, const CallOptions& options) {
  return function_(inputs, options);
}

Json Lambda::get_config() const {
  Json config = Layer::get_config();
  Json function = keras_object("builtins", "function", function_name_);
  function["registered_name"] = "function";
  config["function"] = std::move(function);
  if (options_.output_shape) write_field(config["output_shape"], *options_.output_shape);
  config["arguments"] = Json::object();
  return config;
}

namespace {

LayerPtr lambda_from_config(const Json& config) {
  Json rest = config;
  const auto it = rest.find("function");
  if (it == rest.end()) {
    throw ValueError("Lambda: the configuration must have a `function`. Received: {}",
                     config.dump());
  }
  std::string name;
  if (it->is_string()) {
    name = it->get<std::string>();
  } else if (it->is_object() && it->value("class_name", "") == "__lambda__") {
    throw ValueError(
        "Requested the deserialization of a `Lambda` layer whose `function` is a Python lambda. It "
        "is kept as Python bytecode, which Antler does not run. Give the function a name in Python "
        "and register a function of that name with register_lambda().");
  } else if (it->is_object() && it->contains("config") && (*it)["config"].is_string()) {
    name = (*it)["config"].get<std::string>();
  } else {
    throw ValueError("Lambda: expected the name of a function. Received: function={}", it->dump());
  }
  rest.erase("function");
  if (const auto arguments = rest.find("arguments"); arguments != rest.end()) {
    if (!arguments->empty()) {
      throw ValueError(
          "Lambda: `arguments` are not supported: bind them in the registered function. Received: "
          "arguments={}",
          arguments->dump());
    }
    rest.erase(arguments);
  }
  return Lambda(name, options_from<LambdaOptions>(rest, "Lambda")).share();
}

}  // namespace

LayerClasses lambda_layers() {
  static constexpr LayerClass kClasses[] = {layer_class<Lambda>(lambda_from_config)};
  return kClasses;
}

}  // namespace antler
