#include "training/keras2_hard_sigmoid.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "nn/fields.h"

namespace antler::training {
namespace {

constexpr const char* kHardSigmoid = "hard_sigmoid";
constexpr const char* kActivationKeys[] = {"activation", "recurrent_activation"};

/// The name of a layer's dtype policy; null if it has none.
Json policy_name(const Json& config) {
  Json dtype = config.value("dtype", Json(nullptr));
  if (!dtype.is_object()) return dtype;
  const Json policy = dtype.value("config", Json::object());
  return policy.is_object() ? policy.value("name", Json(nullptr)) : Json(nullptr);
}

Json hard_sigmoid_layers(const Json& dtype) {
  const Json scaled = {{"name", "scaled"}, {"dtype", dtype}, {"scale", 0.2}, {"offset", 0.5}};
  const Json clipped = {{"name", "clipped"},
                        {"dtype", dtype},
                        {"max_value", 1.0},
                        {"negative_slope", 0.0},
                        {"threshold", 0.0}};
  const Json layers = {keras_object("keras.layers", "Rescaling", scaled),
                       keras_object("keras.layers", "ReLU", clipped)};
  return keras_object("keras", "Sequential",
                      {{"name", "keras2_hard_sigmoid"}, {"dtype", dtype}, {"layers", layers}});
}

/// Whether a layer has this class and these arguments.
bool is_layer(const Json& layer, const char* class_name,
              const std::vector<std::pair<const char*, double>>& numbers) {
  const Json config = layer.value("config", Json());
  if (layer.value("class_name", Json()) != class_name || !config.is_object()) return false;
  for (const auto& [key, number] : numbers) {
    if (config.value(key, Json(0.0)) != number) return false;
  }
  return true;
}

/// Whether an activation is Keras 2's hard_sigmoid as written by hard_sigmoid_layers(), or written
/// again by Keras 3.
bool is_hard_sigmoid_layers(const Json& activation) {
  if (!activation.is_object() || activation.value("class_name", Json()) != "Sequential") {
    return false;
  }
  const Json config = activation.value("config", Json());
  if (!config.is_object() || !config.value("layers", Json()).is_array()) return false;
  std::vector<Json> layers;
  for (const Json& layer : config["layers"]) {
    if (!layer.is_object()) return false;
    if (layer.value("class_name", Json()) != "InputLayer") layers.push_back(layer);
  }
  return layers.size() == 2 &&
         is_layer(layers[0], "Rescaling", {{"scale", 0.2}, {"offset", 0.5}}) &&
         is_layer(layers[1], "ReLU",
                  {{"max_value", 1.0}, {"negative_slope", 0.0}, {"threshold", 0.0}});
}

/// Calls `visit` with each activation of the configurations below `json`.
template <class J, class Visit>
void for_each_activation(J& json, const Visit& visit) {
  if (json.is_object()) {
    for (const char* key : kActivationKeys) {
      if (const auto found = json.find(key); found != json.end()) visit(*found);
    }
  }
  if (!json.is_structured()) return;
  for (auto& item : json) for_each_activation(item, visit);
}

}  // namespace

bool is_keras2(const Json& object) {
  const Json version = object.is_object() ? object.value("keras_version", Json()) : Json();
  return version.is_string() && std::atoi(version.get<std::string>().c_str()) < 3;
}

void expand_hard_sigmoids(const std::string& class_name, Json& config) {
  if (class_name.starts_with("ConvLSTM") && !config.contains("recurrent_activation")) {
    config["recurrent_activation"] = kHardSigmoid;  // the default
  }
  for (const char* key : kActivationKeys) {
    if (config.value(key, Json()) == kHardSigmoid) {
      config[key] = hard_sigmoid_layers(policy_name(config));
    }
  }
}

bool restore_hard_sigmoids(Json& object) {
  bool keras2 = false;
  bool keras3 = false;
  for_each_activation(std::as_const(object), [&](const Json& activation) {
    keras2 = keras2 || is_hard_sigmoid_layers(activation);
    keras3 = keras3 || activation == kHardSigmoid;
  });
  if (!keras2 || keras3) return false;
  for_each_activation(object, [](Json& activation) {
    if (is_hard_sigmoid_layers(activation)) activation = kHardSigmoid;
  });
  return true;
}

}  // namespace antler::training
