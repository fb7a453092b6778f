#pragma once

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/training/callbacks/save_freq.h"
#include "nn/config_fields.h"

/// Shared code of the callbacks' from_config(). Each callback's source lists the fields of its
/// options once, in `fields(v, options)`.
namespace antler::callbacks {

void read_field(const Json& in, SaveFreq& value);

/// Options from the arguments of class C; null leaves a default. Throws TypeError for an argument
/// that the class does not have.
template <class C, class Options>
Options read_options(const Json& config) {
  Options options;
  FieldReader reader(config, C::kName, Nulls::keep_defaults);
  fields(reader, options);
  reader.finish();
  return options;
}

/// Takes an argument out of a configuration; null where it is not given.
inline Json take(Json& config, const char* key) {
  Json value = config.value(key, Json());
  config.erase(key);
  return value;
}

}  // namespace antler::callbacks
