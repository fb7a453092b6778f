#include "nn/nested_layer.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/registry.h"

namespace antler {

void write_field(Json& out, const LayerPtr& value) {
  out = value == nullptr ? Json(nullptr) : serialize_layer(*value);
}

void read_field(const Json& in, LayerPtr& value) {
  value = in.is_null() ? nullptr : deserialize_layer(in);
}

void write_field(Json& out, const std::vector<LayerPtr>& value) {
  out = Json::array();
  for (const LayerPtr& layer : value) out.push_back(serialize_layer(*layer));
}

void read_field(const Json& in, std::vector<LayerPtr>& value) {
  if (!in.is_array()) throw TypeError("expected a list of layers");
  value.clear();
  for (const Json& item : in) value.push_back(deserialize_layer(item));
}

}  // namespace antler
