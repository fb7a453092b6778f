#include "recorder.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace antler::conformance {
namespace {

/// JSON has no NaN; the reference set has strings instead.
Json number_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json nested(const std::vector<double>& values, const Shape& shape, int axis, size_t& at) {
  if (axis == shape.rank()) return number_json(values[at++]);
  Json list = Json::array();
  for (int64_t i = 0; i < shape[axis]; ++i) list.push_back(nested(values, shape, axis + 1, at));
  return list;
}

}  // namespace

Json to_json(const Nest& tensors) {
  if (tensors.is_none()) return nullptr;
  if (tensors.is_tensor()) {
    size_t at = 0;
    return nested(tensors.tensor().to_doubles(), tensors.tensor().shape(), 0, at);
  }
  Json json = tensors.is_dict() ? Json::object() : Json::array();
  for (const auto& [key, value] : tensors.items()) {
    if (tensors.is_dict()) {
      json[key] = to_json(value);
    } else {
      json.push_back(to_json(value));
    }
  }
  return json;
}

Json to_json(const Logs& logs) {
  Json json = Json::object();
  for (const auto& [key, value] : logs) {
    const Tensor* array = logs.array(key);
    json[key] = array != nullptr ? to_json(Nest(*array)) : number_json(value);
  }
  return json;
}

void Recorder::note(const char* name, int64_t index, const Logs& logs) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : logs) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  events.push_back(
      Json::array({name, index < 0 ? Json(nullptr) : Json(index), keys, to_json(logs)}));
}

void Recorder::on_predict_batch_end(int batch, const Nest& outputs) {
  // As in the reference set, a dictionary of outputs is recorded with its own keys.
  const Json logs = outputs.is_dict() ? to_json(outputs) : Json({{"outputs", to_json(outputs)}});
  std::vector<std::string> keys;
  for (const auto& [key, value] : logs.items()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  events.push_back(Json::array({"on_predict_batch_end", batch, keys, logs}));
}

}  // namespace antler::conformance
