#include "training/keras2_config.h"

#include <string>

#include <nlohmann/json.hpp>

#include "training/keras2_graph.h"
#include "training/keras2_hard_sigmoid.h"

namespace antler::training {
namespace {

/// The last version of Keras 2 that shipped with TensorFlow.
constexpr const char* kKeras2Version = "2.15.0";

/// Keys that Keras 3 does not have.
constexpr const char* kDropped[] = {
    "batch_input_shape", "implementation", "time_major", "input_length", "rng_type",
    // Of MultiHeadAttention:
    "query_shape", "key_shape", "value_shape", "softmax_robust_masking"};

/// Removes arguments that layers of Keras 2 inherit from their base class but do not use.
void drop_inherited(const std::string& class_name, Json& config) {
  const bool separable = class_name.starts_with("SeparableConv");
  if (separable) {
    for (const char* what : {"initializer", "regularizer", "constraint"}) {
      config.erase("kernel_" + std::string(what));
    }
  }
  if (class_name.starts_with("SpatialDropout")) config.erase("noise_shape");
  const bool one_group =
      separable || class_name.starts_with("DepthwiseConv") || class_name.ends_with("Transpose");
  if (one_group && config.value("groups", Json()) == 1) config.erase("groups");
}

void rewrite(const std::string& class_name, Json& config, bool keras2) {
  if (keras2) expand_hard_sigmoids(class_name, config);
  if (class_name == "InputLayer" && config.contains("batch_input_shape")) {
    config["batch_shape"] = config["batch_input_shape"];
  }
  for (const char* key : kDropped) config.erase(key);
  drop_inherited(class_name, config);
  // Keras 2 writes this for every layer, though few accept it.
  if (const auto penalty = config.find("activity_regularizer");
      penalty != config.end() && penalty->is_null()) {
    config.erase(penalty);
  }
  // After build, Keras 2 writes the axis of a normalization as a list.
  if (const auto axis = config.find("axis"); class_name.ends_with("BatchNormalization") &&
                                             axis != config.end() && axis->is_array() &&
                                             axis->size() == 1) {
    *axis = Json((*axis)[0]);
  }
}

/// Arguments of Keras 3 that Keras 2 rejects. They are dropped if they are null, false or have the
/// default value given here.
struct Added {
  const char* name;
  const char* default_value = nullptr;
};
constexpr Added kAdded[] = {{"quantization_config"},
                            {"input_axes"},
                            {"output_axes"},
                            {"seed"},
                            {"zero_output_for_mask"},
                            {"rms_scaling"},
                            {"renorm"},
                            {"renorm_clipping"},
                            {"renorm_momentum", "0.99"},
                            {"synchronized"},
                            {"use_gate"},
                            {"sliding_window"},
                            {"antialias"},
                            {"pad_to_aspect_ratio"},
                            {"fill_value", "0.0"},
                            {"salt"},
                            {"oov_method", "\"floormod\""},
                            {"loss_scale_factor"},
                            {"gradient_accumulation_steps"}};
/// Layers whose `data_format` Keras 2 rejects.
constexpr const char* kWithoutDataFormat[] = {
    "CenterCrop",       "Resizing",         "ZeroPadding1D",  "SpatialDropout2D",
    "SpatialDropout3D", "RandomBrightness", "RandomContrast", "RandomCrop",
    "RandomFlip",       "RandomRotation",   "RandomZoom",     "RandomTranslation"};

/// The only layer with different class names in the older and newer format.
constexpr const char* kGroupQuery = "GroupQueryAttention";
constexpr const char* kGroupQueryInH5 = "GroupedQueryAttention";

bool is_default(const Json& value, const char* default_value) {
  if (value.is_null() || value == false) return true;
  return default_value != nullptr && value == Json::parse(default_value);
}

void convert_arguments(const std::string& class_name, Json& config) {
  for (const Added& added : kAdded) {
    const auto found = config.find(added.name);
    const bool drops = std::string_view(added.name) != "seed" || !class_name.starts_with("Random");
    if (found != config.end() && drops && is_default(*found, added.default_value))
      config.erase(found);
  }
  for (const char* name : kWithoutDataFormat) {
    if (class_name == name && config.value("data_format", Json()) == "channels_last") {
      config.erase("data_format");
    }
  }
  const auto rename = [&](const char* from, const char* to) {
    if (const auto found = config.find(from); found != config.end()) {
      config[to] = *found;
      config.erase(from);
    }
  };
  if (class_name == "Resizing" && config.value("fill_mode", "") == "constant") {
    config.erase("fill_mode");
  }
  if (class_name == "RandomContrast" && config.value("value_range", Json()) == Json({0, 255})) {
    config.erase("value_range");
  }
  if (class_name == "InputLayer") rename("batch_shape", "batch_input_shape");
  if (class_name == "LeakyReLU") rename("negative_slope", "alpha");
}

Json to_keras2(const Json& object, bool keeps_module) {
  if (!object.is_structured()) return object;
  if (object.is_array()) {
    Json list = Json::array();
    for (const Json& item : object) list.push_back(to_keras2(item, keeps_module));
    return list;
  }
  const bool named = object.contains("class_name") && object["class_name"].is_string() &&
                     object.contains("config");
  const std::string module = named && object.contains("module") && object["module"].is_string()
                                 ? object["module"].get<std::string>()
                                 : "";
  if (module.find(".ops.") != std::string::npos) return object;
  Json result = Json::object();
  for (const auto& [key, value] : object.items()) {
    const bool about_class = key == "module" || key == "registered_name";
    const bool about_use =
        key == "build_config" || key == "compile_config" || key == "shared_object_id";
    if (named && (about_use || (about_class && !keeps_module))) continue;
    // Objects inside a configuration keep their module, except for the layers of a model.
    result[key] = to_keras2(value, key == "layers" ? false : keeps_module || named);
  }
  if (!named) return result;
  const std::string class_name = object["class_name"].get<std::string>();
  if (class_name == "DTypePolicy") {
    const std::string name = object["config"].at("name").get<std::string>();
    return name.starts_with("mixed_") ? object : Json(name);
  }
  if (!keeps_module && object.value("registered_name", Json()).is_string()) {
    result["class_name"] = object["registered_name"];
  } else if (!keeps_module && class_name == kGroupQuery) {
    result["class_name"] = kGroupQueryInH5;
  }
  if (!result["config"].is_object()) return result;
  convert_arguments(class_name, result["config"]);
  if (result["config"].contains("input_layers")) write_keras2_graph(result["config"]);
  return result;
}

Json from_keras2(Json object, bool keras2) {
  if (!object.is_structured()) return object;
  // Only the metadata of SavedModels distinguish tuples from lists.
  if (object.is_object() && object.value("class_name", Json(nullptr)) == "__tuple__" &&
      object.contains("items")) {
    return from_keras2(object["items"], keras2);
  }
  if (object.is_object() && object.contains("class_name") && object["class_name"].is_string() &&
      object.contains("config") && object["config"].is_object()) {
    rewrite(object["class_name"].get<std::string>(), object["config"], keras2);
    if (object["class_name"] == kGroupQueryInH5) object["class_name"] = kGroupQuery;
  }
  for (auto& item : object) item = from_keras2(std::move(item), keras2);
  return object;
}

}  // namespace

Json to_keras2(const Json& object) {
  Json named = object;
  const bool has_keras2_sigmoids = restore_hard_sigmoids(named);
  Json result = to_keras2(named, /*keeps_module=*/false);
  if (has_keras2_sigmoids) result["keras_version"] = kKeras2Version;
  return result;
}

Json from_keras2(Json object) {
  const bool keras2 = is_keras2(object);
  return from_keras2(std::move(object), keras2);
}

}  // namespace antler::training
