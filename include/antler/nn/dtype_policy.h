#pragma once

#include <string>

#include "antler/base/json.h"
#include "antler/core/dtype.h"

namespace antler {

/// Which dtype a layer computes in and which its weights have. Given to a layer by its name, which
/// a policy converts to: `Dense(10, {.dtype = DTypePolicy::parse("mixed_bfloat16")})`.
struct DTypePolicy {
  std::string name = "float32";
  DType compute = DType::float32;
  DType variable = DType::float32;
  std::string quantization_mode = {};  ///< "int8", or empty

  /// "mixed_float16", "mixed_bfloat16", a dtype name, or "int8_from_" and one of these. Throws
  /// ValueError.
  static DTypePolicy parse(const std::string& name);
  /// The policy without quantization.
  DTypePolicy source() const;
  /// {"module", "class_name", "config", "registered_name"}, Keras's form.
  Json serialize() const;
  /// From that form or a name. Throws ValueError.
  static DTypePolicy deserialize(const Json& json);

  operator const std::string&() const { return name; }  // NOLINT(google-explicit-constructor)
};

namespace mixed_precision {
/// Policy of layers that are not given one; starts as "float32".
void set_global_policy(const std::string& name);
DTypePolicy global_policy();
}  // namespace mixed_precision

}  // namespace antler
