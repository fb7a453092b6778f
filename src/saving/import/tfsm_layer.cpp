#include "antler/saving/tfsm_layer.h"

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/initializers.h"
#include "antler/ops/core.h"
#include "nn/layer_state.h"
#include "saving/import/saved_model_reader.h"
#include "saving/import/tf_interpreter.h"

namespace antler {
namespace {

using saving::TfEndpoint;
using saving::TfValue;

/// Packs tensors into the structure of an endpoint's outputs.
Nest packed(const io::TfStructure& structure, const Tensors& leaves) {
  using Kind = io::TfStructure::Kind;
  const std::function<Nest(const io::TfStructure&)> shape = [&](const io::TfStructure& part) {
    if (part.kind == Kind::dict) {
      Nest::Items items;
      for (const auto& [key, item] : part.items) items.emplace_back(key, shape(item));
      return Nest::dict(std::move(items));
    }
    if (part.kind == Kind::list) {
      std::vector<Nest> items;
      for (const auto& [key, item] : part.items) items.push_back(shape(item));
      return Nest(std::move(items));
    }
    return Nest();
  };
  const Nest tree = shape(structure);
  if (structure.tensors().size() != leaves.size() || tree.flatten().size() != leaves.size()) {
    return leaves.size() == 1 ? Nest(leaves[0]) : Nest(leaves);
  }
  return tree.pack(leaves);
}

}  // namespace

/// The parsed SavedModel and the weights of its variables.
struct TFSMLayer::Graph {
  io::TfSavedModel model;
  TfEndpoint endpoint;
  std::optional<TfEndpoint> training_endpoint;
  std::map<int64_t, int64_t> weight_of_object;
  std::map<std::string, int64_t> weight_of_name;
  Variables weights;  // indexed by the values of the maps

  Tensors run(const TfEndpoint& endpoint, const Tensors& inputs,
              const saving::TfVariableSource& source) const;
};

TFSMLayer::TFSMLayer(const std::string& filepath, const TFSMLayerOptions& options)
    : LayerBase("TFSMLayer",
                LayerOptions{
                    .name = options.name, .dtype = options.dtype, .trainable = options.trainable}),
      filepath_(filepath),
      options_(options) {
  const saving::SavedModelReader reader = saving::SavedModelReader::open(filepath);
  auto graph = std::make_shared<Graph>();
  graph->endpoint = reader.endpoint(options.call_endpoint);
  if (options.call_training_endpoint) {
    graph->training_endpoint = reader.endpoint(*options.call_training_endpoint);
  }
  // Variables that the endpoints use: those that functions capture and those of the main graph.
  std::vector<bool> used(reader.variables().size(), false);
  for (const TfEndpoint* endpoint :
       {&graph->endpoint, graph->training_endpoint ? &*graph->training_endpoint : nullptr}) {
    if (endpoint == nullptr) continue;
    if (endpoint->function.empty()) {
      for (const io::TfNode& node : reader.model().nodes) {
        if (const auto at = reader.variable_named(saving::variable_name(node))) {
          used[static_cast<size_t>(*at)] = true;
        }
      }
    }
    for (const int64_t object : endpoint->captures) {
      if (const auto at = reader.variable_of(object)) used[static_cast<size_t>(*at)] = true;
    }
  }
  std::vector<int64_t> weight_of(used.size(), -1);
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const saving::TfVariable& variable = reader.variables()[i];
    std::string name = variable.name;
    std::replace(name.begin(), name.end(), '/', '_');
    Variable weight = add_weight({.shape = variable.value.shape(),
                                  .initializer = initializers::Zeros(),
                                  .dtype = variable.value.dtype(),
                                  .trainable = variable.trainable,
                                  .name = name});
    weight.store(variable.value);
    weight_of[i] = static_cast<int64_t>(graph->weights.size());
    graph->weights.push_back(weight);
    graph->weight_of_name.emplace(variable.name, weight_of[i]);
  }
  for (size_t object = 0; object < reader.model().objects.size(); ++object) {
    const auto at = reader.variable_of(static_cast<int64_t>(object));
    if (at && weight_of[static_cast<size_t>(*at)] >= 0) {
      graph->weight_of_object[static_cast<int64_t>(object)] = weight_of[static_cast<size_t>(*at)];
    }
  }
  graph->model = reader.model();
  graph_ = std::move(graph);
  LayerInternals::state(*this).built = true;
  set_autocast(false);  // the function's arguments have fixed dtypes
}

Tensors TFSMLayer::Graph::run(const TfEndpoint& called, const Tensors& inputs,
                              const saving::TfVariableSource& source) const {
  saving::TfInterpreter interpreter(model, source);
  const auto specs = called.inputs.tensors();
  if (specs.size() != inputs.size()) {
    throw ValueError("The endpoint of the SavedModel takes {} tensors. Received: {}.", specs.size(),
                     inputs.size());
  }
  saving::TfValues arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool other = specs[i]->dtype && *specs[i]->dtype != inputs[i].dtype();
    arguments.push_back(TfValue::of(other ? ops::cast(inputs[i], *specs[i]->dtype) : inputs[i]));
  }
  saving::TfValues results;
  if (called.function.empty()) {
    std::unordered_map<std::string, TfValue> feeds;
    for (size_t i = 0; i < arguments.size(); ++i) feeds[called.fed[i]] = arguments[i];
    results = interpreter.fetch(called.fetched, feeds);
  } else {
    for (const int64_t object : called.captures) {
      const io::TfObject& captured = model.objects[static_cast<size_t>(object)];
      const auto weight = weight_of_object.find(object);
      if (weight != weight_of_object.end()) {
        arguments.push_back(TfValue::handle(weight->second));
      } else if (captured.kind == io::TfObject::Kind::constant) {
        arguments.push_back(interpreter.fetch({captured.name + ":0"}, {}).at(0));
      } else {
        arguments.push_back(TfValue::handle(TfValue::kForeign));
      }
    }
    results = interpreter.call(called.function, arguments);
  }
  Tensors tensors;
  for (const TfValue& result : results) {
    if (!result.tensor.defined()) {
      throw NotImplementedError("An output of the SavedModel is not a numeric tensor.");
    }
    tensors.push_back(result.tensor);
  }
  return tensors;
}

Nest TFSMLayer::call(const Nest& inputs, const CallOptions& options) {
  const bool trains = options.training.value_or(false) && graph_->training_endpoint.has_value();
  const TfEndpoint& endpoint = trains ? *graph_->training_endpoint : graph_->endpoint;
  const saving::TfVariableSource source = {
      .read = [&](int64_t i) { return graph_->weights[static_cast<size_t>(i)].value(); },
      .find =
          [&](const std::string& name) {
            const auto it = graph_->weight_of_name.find(name);
            return it == graph_->weight_of_name.end() ? TfValue::kForeign : it->second;
          }};
  return packed(endpoint.outputs, graph_->run(endpoint, inputs.flatten(), source));
}

Tensor TFSMLayer::call(const Tensor& input, const CallOptions& options) {
  return call(Nest(input), options).tensor();
}

Json TFSMLayer::get_config() const {
  Json config = Layer::get_config();
  config["filepath"] = filepath_;
  config["call_endpoint"] = options_.call_endpoint;
  config["call_training_endpoint"] =
      options_.call_training_endpoint ? Json(*options_.call_training_endpoint) : Json(nullptr);
  return config;
}

std::vector<TFSMLayer::Argument> TFSMLayer::arguments() const {
  std::vector<Argument> result;
  for (const io::TfStructure* spec : graph_->endpoint.inputs.tensors()) {
    if (!spec->dtype) {
      throw NotImplementedError("The argument '{}' of the SavedModel is not a numeric tensor.",
                                spec->name);
    }
    result.push_back({spec->name, *spec->dtype, spec->shape});
  }
  return result;
}

std::string saved_model_endpoint(const std::string& filepath) {
  const auto reader = saving::SavedModelReader::open(filepath);
  for (const char* usual : {"serve", "serving_default"}) {
    if (reader.has_endpoint(usual)) return usual;
  }
  const std::vector<std::string> names = reader.endpoint_names();
  if (names.empty()) throw ValueError("The SavedModel '{}' has no endpoint.", filepath);
  return names[0];
}

LayerPtr tfsm_layer_from_config(const Json& config) {
  TFSMLayerOptions options;
  options.call_endpoint = config.value("call_endpoint", options.call_endpoint);
  const auto given = [&](const char* key) {
    return config.contains(key) && config[key].is_string();
  };
  if (given("call_training_endpoint")) {
    options.call_training_endpoint = config["call_training_endpoint"].get<std::string>();
  }
  if (given("name")) options.name = config["name"].get<std::string>();
  options.trainable = config.value("trainable", true);
  if (!given("filepath")) throw ValueError("TFSMLayer: `filepath` must be the path of a folder.");
  return TFSMLayer(config["filepath"].get<std::string>(), options).share();
}

}  // namespace antler
