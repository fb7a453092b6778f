#include "training/model_config.h"

#include <map>
#include <mutex>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/registry.h"
#include "antler/saving/tfsm_layer.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"
#include "base/json_reading.h"
#include "nn/layer_state.h"
#include "training/graph_config.h"
#include "training/keras2_config.h"
#include "training/model_state.h"
#include "training/premade/list.h"

namespace antler {
namespace {

std::string name_of(const Json& config) {
  const auto it = config.find("name");
  return it != config.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// Sets only the model's flag: the file has a flag for each of its layers.
void set_own_trainable(const Layer& layer, const Json& config) {
  const auto it = config.find("trainable");
  if (it != config.end() && it->is_boolean()) {
    LayerInternals::state(layer).trainable = it->get<bool>();
  }
}

LayerPtr functional_from_config(const Json& config) {
  const training::GraphEnds ends = training::graph_from_config(config);
  const Model model(ends.inputs, ends.outputs, name_of(config));
  set_own_trainable(model, config);
  return model.share();
}

Shape shape_from_json(const Json& json) {
  Shape shape;
  for (const Json& d : json) shape.push_back(d.is_null() ? Shape::kUnknown : d.get<int64_t>());
  return shape;
}

LayerPtr sequential_from_config(const Json& config) {
  if (!config.contains("layers") || !config["layers"].is_array()) {
    throw ValueError("The configuration of a Sequential model must have `layers`. Received: {}",
                     config.dump());
  }
  std::vector<LayerHandle> layers;
  for (const Json& entry : config["layers"]) layers.emplace_back(deserialize_layer(entry));
  Sequential model(layers, name_of(config));
  const auto shape = config.find("build_input_shape");
  if (!model.built() && shape != config.end() && shape->is_array()) {
    model.ensure_built({shape_from_json(*shape)});
  }
  set_own_trainable(model, config);
  return model.share();
}

}  // namespace

namespace training {

Json shape_to_json(const Shape& shape) {
  Json dims = Json::array();
  for (const int64_t d : shape) dims.push_back(d == Shape::kUnknown ? Json(nullptr) : Json(d));
  return dims;
}

void register_model_classes() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_object("Functional", functional_from_config);
    register_object("Sequential", sequential_from_config);
    register_object("TFSMLayer", tfsm_layer_from_config);
    register_object("LinearModel", linear_model_from_config);
    register_object("WideDeepModel", wide_deep_model_from_config);
    register_object("SharpnessAwareMinimization", sharpness_aware_minimization_from_config);
    // Keras 2 wrote plain models under their base class.
    register_object("Model", functional_from_config);
  });
}

void build_from_config(Layer& layer, const Json& object) {
  if (layer.built() || !object.contains("build_config") || !object["build_config"].is_object()) {
    return;
  }
  Json shape = object["build_config"].value("input_shape", Json(nullptr));
  if (shape.is_object()) {
    // Named inputs are in the order of the sorted keys.
    std::map<std::string, Json> by_key;
    for (const auto& [key, item] : shape.items()) by_key[key] = item;
    shape = Json::array();
    for (const auto& [key, item] : by_key) shape.push_back(item);
  }
  if (!shape.is_array()) return;
  if (!shape.empty() && shape[0].is_array()) {
    std::vector<Shape> shapes;
    for (const Json& item : shape) shapes.push_back(shape_from_json(item));
    layer.ensure_built(shapes);
  } else {
    layer.ensure_built({shape_from_json(shape)});
  }
}

LayerPtr layer_with_build_config(const Json& object) {
  LayerPtr layer = deserialize_layer(object);
  build_from_config(*layer, object);
  return layer;
}

Json with_build_config(const Layer& layer) {
  Json object = serialize_layer(layer);
  if (Json built = build_config_of(layer); !built.is_null()) {
    object["build_config"] = std::move(built);
  }
  return object;
}

Json build_config_of(const Layer& layer) {
  // Lookup tables need no shape; Keras writes an empty object.
  if (layer.class_name() == "StringLookup" || layer.class_name() == "IntegerLookup") {
    return Json::object();
  }
  const std::vector<Shape>& shapes = LayerInternals::state(layer).build_shapes;
  // Keras builds layers with several named inputs when they are called.
  if (shapes.empty() || layer.call_signature().inputs.size() > 1) return nullptr;
  Json all = Json::array();
  for (const Shape& shape : shapes) all.push_back(shape_to_json(shape));
  return {{"input_shape", shapes.size() == 1 ? all[0] : all}};
}

Model model_of(const LayerPtr& layer) {
  const auto* model = dynamic_cast<const Model*>(layer.get());
  if (model == nullptr) {
    throw TypeError("Expected the configuration of a model. Received: layer '{}' of class {}.",
                    layer->name(), layer->class_name());
  }
  if (layer->class_name() != "Functional" && layer->class_name() != "Sequential") {
    throw TypeError("The model '{}' is of class {}. Load it with load_model<{}>().", layer->name(),
                    layer->class_name(), layer->class_name());
  }
  return *model;
}

}  // namespace training

Json Model::get_config() const {
  if (class_name() != "Sequential" && model_->graph == nullptr) return Layer::get_config();
  Json config = Json::object();
  config["name"] = name();
  config["trainable"] = trainable();
  if (class_name() != "Sequential") {
    training::add_graph_config(*model_->graph, config);
    return config;
  }
  config["dtype"] = Layer::get_config()["dtype"];
  Json layers = Json::array();
  for (const LayerPtr& layer :
       model_->graph != nullptr ? model_->graph->operations() : sublayers()) {
    layers.push_back(training::with_build_config(*layer));
  }
  config["layers"] = std::move(layers);
  if (model_->graph != nullptr) {
    config["build_input_shape"] = training::shape_to_json(model_->graph->inputs().tensor().shape());
  }
  return config;
}

std::string Model::to_json() const { return serialize_layer(*this).dump(); }

Model model_from_config(const Json& object, const CustomObjects& custom_objects) {
  training::register_model_classes();
  const CustomObjectScope scope(custom_objects);
  return read_checked("a model", object, [&] {
    const Json present = training::from_keras2(object);
    const LayerPtr layer = deserialize_layer(present);
    training::build_from_config(*layer, present);
    return training::model_of(layer);
  });
}

Model model_from_json(const std::string& json, const CustomObjects& custom_objects) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) throw ValueError("model_from_json: invalid JSON.");
  return model_from_config(object, custom_objects);
}

Model model_from_yaml(const std::string&) {
  throw RuntimeError(
      "Method `model_from_yaml()` has been removed due to security risk of arbitrary code "
      "execution. Please use `Model::to_json()` and `model_from_json()` instead.");
}

Model Model::from_config(const Json& config, const CustomObjects& custom_objects) {
  const char* class_name = config.contains("input_layers") ? "Functional" : "Sequential";
  return model_from_config({{"class_name", class_name}, {"config", config}}, custom_objects);
}

Sequential Sequential::from_config(const Json& config, const CustomObjects& custom_objects) {
  training::register_model_classes();
  const CustomObjectScope scope(custom_objects);
  return read_checked("a model", config, [&] {
    const LayerPtr layer = deserialize_layer({{"class_name", "Sequential"}, {"config", config}});
    return dynamic_cast<const Sequential&>(*layer);
  });
}

}  // namespace antler
