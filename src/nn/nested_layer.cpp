#include "nn/nested_layer.h"

#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/registry.h"

namespace antler {

namespace {

Json serialized(const Layer& layer) {
  const std::string& name = layer.class_name();
  Json object = Json::object();
  if (name.find('>') != std::string::npos) {  // a class of the user's, "package>Class"
    object["module"] = nullptr;
    object["class_name"] = name.substr(name.find('>') + 1);
    object["config"] = layer.get_config();
    object["registered_name"] = name;
    return object;
  }
  object["module"] = name == "Sequential"   ? "keras"
                     : name == "Functional" ? "keras.src.models.functional"
                                            : "keras.layers";
  object["class_name"] = name;
  object["config"] = layer.get_config();
  object["registered_name"] = nullptr;
  return object;
}

LayerPtr deserialized(const Json& json) {
  if (!json.is_object() || !json.contains("class_name") || !json["class_name"].is_string() ||
      !json.contains("config")) {
    throw TypeError("expected a layer, a dictionary with `class_name` and `config`");
  }
  std::string name = json["class_name"].get<std::string>();
  if (const auto it = json.find("registered_name"); it != json.end() && it->is_string()) {
    if (it->get<std::string>().find('>') != std::string::npos) name = it->get<std::string>();
  }
  return layer_from_config(name, json["config"]);
}

}  // namespace

void write_field(Json& out, const LayerPtr& value) {
  out = value == nullptr ? Json(nullptr) : serialized(*value);
}

void read_field(const Json& in, LayerPtr& value) {
  value = in.is_null() ? nullptr : deserialized(in);
}

void write_field(Json& out, const std::vector<LayerPtr>& value) {
  out = Json::array();
  for (const LayerPtr& layer : value) out.push_back(serialized(*layer));
}

void read_field(const Json& in, std::vector<LayerPtr>& value) {
  if (!in.is_array()) throw TypeError("expected a list of layers");
  value.clear();
  for (const Json& item : in) value.push_back(deserialized(item));
}

}  // namespace antler
