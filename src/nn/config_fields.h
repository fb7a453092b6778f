#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/json.h"
#include "antler/core/dtype.h"
#include "antler/core/dtype_arg.h"
#include "nn/fields.h"

/// Additions to fields.h for losses, metrics and optimizers, which name their fields once, too:
///
///     template <class V>
///     void fields(V& v, HuberOptions& o) { v("delta", o.delta); ... }
namespace antler {

inline void write_field(Json& out, DType value) { out = dtype_name(value); }
inline void write_field(Json& out, DTypeArg value) { write_field(out, DType(value)); }

inline void read_field(const Json& in, DType& value) {
  std::string name;
  read_field(in, name);
  value = parse_dtype(name);
}
inline void read_field(const Json& in, DTypeArg& value) {
  DType dtype = value;
  read_field(in, dtype);
  value = dtype;
}

}  // namespace antler

namespace antler::config {

/// Writes all fields of an options struct.
template <class Options>
Json write(const Options& options) {
  Json json = Json::object();
  FieldWriter writer(json);
  Options copy = options;
  fields(writer, copy);
  return json;
}

/// Reads options from a configuration. Throws TypeError for keys that the class does not have. Null
/// keeps the default of a field that cannot be null.
template <class Options>
Options read(const Json& json) {
  const auto name = json.find("name");
  const bool named = name != json.end() && name->is_string();
  FieldReader reader(json, named ? name->get<std::string>() : "the configuration",
                     Nulls::keep_defaults);
  Options options;
  fields(reader, options);
  reader.finish();
  return options;
}

/// The same for a class that refuses null, except for fields that can be null.
template <class Options>
Options read(const Json& json, std::string_view class_name) {
  FieldReader reader(json, std::string(class_name));
  Options options;
  fields(reader, options);
  reader.finish();
  return options;
}

/// The class_name of a Keras object. Throws ValueError if `json` is not a Keras object.
inline std::string class_name_of(const Json& json, const char* what) {
  if (!json.is_object() || !json.contains("class_name") || !json["class_name"].is_string()) {
    throw ValueError(
        "Could not interpret {} configuration: expected a dictionary with `class_name` and "
        "`config`. Received: {}",
        what, json.dump());
  }
  return json["class_name"].get<std::string>();
}

/// Its "config", or an empty dictionary.
inline Json config_of(const Json& json) {
  return json.contains("config") && json["config"].is_object() ? json["config"] : Json::object();
}

}  // namespace antler::config
