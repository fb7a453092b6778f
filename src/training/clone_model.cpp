#include "antler/training/clone_model.h"

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/registry.h"
#include "antler/training/saving.h"
#include "nn/layer_state.h"
#include "training/graph_config.h"
#include "training/model_config.h"

namespace antler {
namespace {

bool is_sequential(const Model& model) { return model.class_name() == "Sequential"; }
bool is_functional(const Model& model) { return model.class_name() == "Functional"; }

/// A layer of the same configuration with new weights.
LayerPtr remake_layer(const Layer& layer) {
  const Json object = training::with_build_config(layer);
  if (!is_built_in_layer(layer)) {
    if (LayerPtr made = LayerInternals::make_from_config(layer, object["config"])) {
      training::build_from_config(*made, object);
      return made;
    }
  }
  return training::layer_with_build_config(object);
}

LayerPtr clone_layer(const Layer& layer, const CloneModelOptions& options) {
  const auto* inner = dynamic_cast<const Model*>(&layer);
  if (options.recursive && inner != nullptr && (is_sequential(*inner) || is_functional(*inner))) {
    CloneModelOptions of_inner = options;
    of_inner.input_tensors = Nest();
    if (is_sequential(*inner)) of_inner.call_function = {};
    return clone_model(*inner, of_inner).share();
  }
  if (options.clone_function) return options.clone_function(layer).layer();
  return remake_layer(layer);
}

Sequential clone_sequential(const Model& model, const CloneModelOptions& options) {
  if (options.call_function) {
    throw ValueError(
        "clone_model: argument `call_function` is not supported with Sequential models. Received: "
        "model '{}'",
        model.name());
  }
  std::vector<LayerHandle> layers;
  const Json entries = model.get_config()["layers"];
  if (!options.input_tensors.is_none()) {
    const Tensors given = options.input_tensors.flatten();
    if (given.size() != 1) {
      throw ValueError(
          "clone_model: argument `input_tensors` must contain a single tensor. Received: {} "
          "tensors",
          given.size());
    }
    layers.emplace_back(given[0]);
  } else if (!entries.empty() && entries[0]["class_name"] == "InputLayer") {
    layers.emplace_back(deserialize_layer(entries[0]));
  }
  for (const LayerPtr& layer : model.layers()) layers.emplace_back(clone_layer(*layer, options));
  return Sequential(layers, {.name = model.name(), .trainable = model.trainable()});
}

/// The given tensors by the names of the input layers that they replace.
std::map<std::string, Tensor> given_inputs(const Model& model, const Nest& input_tensors) {
  std::map<std::string, Tensor> result;
  if (input_tensors.is_none()) return result;
  const Nest inputs = model.input();
  if (input_tensors.structure() != inputs.structure()) {
    throw ValueError(
        "clone_model: argument `input_tensors` must have the same structure as the inputs of model "
        "'{}', {}. Received: {}",
        model.name(), inputs.structure(), input_tensors.structure());
  }
  const Tensors given = input_tensors.flatten();
  const Tensors replaced = inputs.flatten();
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_placeholder()) {
      throw ValueError("clone_model: argument `input_tensors` must consist of placeholders.");
    }
    result.emplace(placeholder_source(replaced[i]).node->layer->name(), given[i]);
  }
  return result;
}

Model clone_functional(const Model& model, const CloneModelOptions& options) {
  std::map<std::string, LayerPtr> originals;
  for (const LayerPtr& layer : model.layers()) originals.emplace(layer->name(), layer);
  training::GraphParts parts;
  parts.inputs = given_inputs(model, options.input_tensors);
  parts.call = options.call_function;
  parts.layer = [&](const Json& entry) {
    const auto original = originals.find(entry.value("name", ""));
    const bool is_layer = original != originals.end() && entry["class_name"] != "InputLayer";
    return is_layer ? clone_layer(*original->second, options) : deserialize_layer(entry);
  };
  const training::GraphEnds ends = training::graph_from_config(model.get_config(), parts);
  return Model(ends.inputs, ends.outputs, {.name = model.name(), .trainable = model.trainable()});
}

void compile_like(const Model& model, Model& clone) {
  if (!model.compiled()) return;
  try {
    clone.compile_from_config(model.get_compile_config());
  } catch (const Error& error) {
    logging::warning(format("clone_model: the clone of model '{}' is not compiled, because: {}",
                            model.name(), error.what()));
  }
}

}  // namespace

Sequential clone_model(const Sequential& model, const CloneModelOptions& options) {
  training::register_model_classes();
  Sequential clone = clone_sequential(model, options);
  compile_like(model, clone);
  return clone;
}

Model clone_model(const Model& model, const CloneModelOptions& options) {
  training::register_model_classes();
  if (is_functional(model)) {
    Model clone = clone_functional(model, options);
    compile_like(model, clone);
    return clone;
  }
  if (is_sequential(model)) {
    Model clone = clone_sequential(model, options);
    compile_like(model, clone);
    return clone;
  }
  if (options.clone_function || options.call_function || !options.input_tensors.is_none()) {
    throw ValueError(
        "clone_model: arguments `clone_function`, `call_function` and `input_tensors` are only "
        "supported for Sequential and functional models. Received: model '{}' of class {}",
        model.name(), model.class_name());
  }
  return model_from_config(serialize_layer(model));
}

}  // namespace antler
