#include "antler/training/keras_object.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/optimizers/schedules.h"
#include "antler/nn/registry.h"
#include "nn/fields.h"
#include "training/keras2_config.h"
#include "training/model_config.h"

namespace antler {
namespace {

/// How to deserialize the objects of a Keras module.
struct KindOfObject {
  const char* module;
  KerasObject (*make)(const Json& object);
  /// Whether the factory of a registered class creates objects of this kind.
  bool (*is_made_by)(const ObjectFactory& factory);
};

template <class T>
bool is_made_by(const ObjectFactory& factory) {
  return factory.as<T>() != nullptr;
}

template <class T, T (*deserialize)(const Json&)>
constexpr KindOfObject kind(const char* module) {
  return {module, [](const Json& object) -> KerasObject { return deserialize(object); },
          is_made_by<T>};
}

LayerPtr make_layer(const Json& object) {
  training::register_model_classes();
  return training::layer_with_build_config(training::from_keras2(object));
}

/// Searched in order: schedules come before optimizers, whose module contains them.
constexpr KindOfObject kKinds[] = {
    kind<LearningRateSchedule, optimizers::schedules::deserialize>("schedules"),
    kind<LearningRateSchedule, optimizers::schedules::deserialize>("learning_rate_schedule"),
    kind<OptimizerPtr, optimizers::deserialize>("optimizers"),
    kind<Loss, losses::deserialize>("losses"),
    kind<MetricPtr, metrics::deserialize>("metrics"),
    kind<Initializer, initializers::deserialize>("initializers"),
    kind<Regularizer, regularizers::deserialize>("regularizers"),
    kind<Constraint, constraints::deserialize>("constraints"),
    kind<ActivationFunction, activations::deserialize>("activations"),
    kind<DTypePolicy, DTypePolicy::deserialize>("dtype_policies"),
    kind<LayerPtr, make_layer>("layers"),
    kind<LayerPtr, make_layer>("models"),
    kind<LayerPtr, make_layer>("ops"),
    kind<LayerPtr, make_layer>("experimental"),
};

/// Whether `part` is one of the names between the dots of `module`.
bool has_part(const std::string& module, const std::string& part) {
  return ("." + module + ".").find("." + part + ".") != std::string::npos;
}

}  // namespace

Json serialize_keras_object(const Layer& layer) { return serialize_layer(layer); }
Json serialize_keras_object(const Loss& loss) { return losses::serialize(loss); }
Json serialize_keras_object(const Metric& metric) { return metrics::serialize(metric); }
Json serialize_keras_object(const Optimizer& optimizer) { return optimizers::serialize(optimizer); }
Json serialize_keras_object(const LearningRateSchedule& schedule) {
  return optimizers::schedules::serialize(schedule);
}
Json serialize_keras_object(const Initializer& initializer) {
  return initializers::serialize(initializer);
}
Json serialize_keras_object(const Regularizer& regularizer) {
  return regularizers::serialize(regularizer);
}
Json serialize_keras_object(const Constraint& constraint) {
  return constraints::serialize(constraint);
}
Json serialize_keras_object(const ActivationFunction& activation) {
  Json name = activations::serialize(activation);
  if (!name.is_string()) return name;
  Json object = keras_object("builtins", "function", std::move(name));
  object["registered_name"] = "function";
  return object;
}
Json serialize_keras_object(const DTypePolicy& policy) { return policy.serialize(); }

KerasObject deserialize_keras_object(const Json& config, const CustomObjects& custom_objects) {
  if (config.is_null()) return {};
  const auto field = [&](const char* key) {
    const auto it = config.find(key);
    return it != config.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  const std::string class_name = config.is_object() ? field("class_name") : "";
  if (class_name.empty() || !config.contains("config")) {
    throw TypeError("Could not parse config: expected `class_name` and `config`. Received: {}",
                    config.dump());
  }
  const CustomObjectScope scope(custom_objects);
  const std::string module = field("module");
  if (class_name == "function") return activations::deserialize(config);
  const std::string registered = field("registered_name");
  if (const ObjectFactory custom =
          get_registered_object(registered.empty() ? class_name : registered)) {
    for (const KindOfObject& kind : kKinds) {
      if (kind.is_made_by(custom)) return kind.make(config);
    }
  }
  if (class_name.find("DTypePolicy") != std::string::npos) return DTypePolicy::deserialize(config);
  for (const KindOfObject& kind : kKinds) {
    if (has_part(module, kind.module)) return kind.make(config);
  }
  if (module == "keras") return make_layer(config);
  throw TypeError(
      "Could not locate class '{}'. Its `module` is not one of Keras's, and no class of this name "
      "was registered with register_keras_serializable(). Full object config: {}",
      class_name, config.dump());
}

bool is_keras_tensor(const Tensor& x) { return x.is_placeholder(); }

Tensors get_source_inputs(const Tensor& tensor) {
  if (!tensor.defined() || !is_keras_tensor(tensor)) {
    throw TypeError("get_source_inputs: expected a placeholder of a functional model.");
  }
  Tensors sources;
  std::set<const GraphNode*> seen;
  const auto visit = [&](const auto& self, const Tensor& t) -> void {
    const GraphNodePtr& node = placeholder_source(t).node;
    if (node->is_input()) {
      if (seen.insert(node.get()).second) sources.push_back(t);
      return;
    }
    if (!seen.insert(node.get()).second) return;
    for (const Tensor& argument : node->input_placeholders()) self(self, argument);
  };
  visit(visit, tensor);
  return sources;
}

std::string standardize_dtype(const std::string& dtype) {
  if (dtype == "int") return "int64";
  if (dtype == "string") return dtype;
  try {
    if (dtype == dtype_name(parse_dtype(dtype))) return dtype;
  } catch (const ValueError&) {
    // Reported below.
  }
  throw ValueError("Invalid dtype: {}", dtype);
}

}  // namespace antler
