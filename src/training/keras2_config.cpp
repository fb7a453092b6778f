#include "training/keras2_config.h"

#include <string>

#include <nlohmann/json.hpp>

namespace antler::training {
namespace {

/// Keys that Keras 3 does not have: the shape of the input stands at the first layer's arguments,
/// and recurrent layers choose an implementation.
constexpr const char* kDropped[] = {"batch_input_shape", "implementation", "time_major",
                                    "input_length"};

void rewrite(const std::string& class_name, Json& config) {
  if (class_name == "InputLayer" && config.contains("batch_input_shape")) {
    config["batch_shape"] = config["batch_input_shape"];
  }
  for (const char* key : kDropped) config.erase(key);
  // Every layer has this one there, though few take it.
  if (const auto penalty = config.find("activity_regularizer");
      penalty != config.end() && penalty->is_null()) {
    config.erase(penalty);
  }
  // After build, Keras 2 writes the axis of a normalization as a list.
  if (const auto axis = config.find("axis"); class_name == "BatchNormalization" &&
                                             axis != config.end() && axis->is_array() &&
                                             axis->size() == 1) {
    *axis = Json((*axis)[0]);
  }
}

}  // namespace

Json from_keras2(Json object) {
  if (!object.is_structured()) return object;
  // Only the metadata of a SavedModel tell tuples from lists.
  if (object.is_object() && object.value("class_name", Json(nullptr)) == "__tuple__" &&
      object.contains("items")) {
    return from_keras2(object["items"]);
  }
  if (object.is_object() && object.contains("class_name") && object["class_name"].is_string() &&
      object.contains("config") && object["config"].is_object()) {
    rewrite(object["class_name"].get<std::string>(), object["config"]);
  }
  for (auto& item : object) item = from_keras2(std::move(item));
  return object;
}

}  // namespace antler::training
