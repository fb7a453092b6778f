#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/base/json.h"
#include "antler/core/dtype.h"

namespace antler {

class DTypePolicyMap;

/// The dtypes of a layer's computation and weights. Layers take the name of a policy; a policy
/// converts to it implicitly: `Dense(10, {.dtype = DTypePolicy("mixed_bfloat16")})`.
struct DTypePolicy {
  std::string name = "float32";
  DType compute_dtype = DType::float32;
  DType variable_dtype = DType::float32;
  std::string quantization_mode = {};        ///< "int8", "int4", "float8", "gptq", "awq", or empty
  std::optional<int64_t> block_size = {};    ///< of "int4/<block_size>"; -1: none
  int64_t amax_history_length = 1024;        ///< of "float8"
  int64_t weight_bits = 0;                   ///< of "gptq/<weight_bits>/<group_size>" and "awq/..."
  int64_t group_size = 0;                    ///< likewise; -1: one group
  std::shared_ptr<DTypePolicyMap> map = {};  ///< the map that contains it, if any

  /// "mixed_float16", "mixed_bfloat16", a dtype name, or "int8_from_", "int4_from_",
  /// "int4/<block_size>_from_", "float8_from_", "gptq/<weight_bits>/<group_size>_from_",
  /// "awq/4/<group_size>_from_" followed by one of the former; or a result of text(). Throws
  /// ValueError for anything else.
  explicit DTypePolicy(const std::string& text);
  DTypePolicy() = default;
  /// Keras's QuantizedDTypePolicy(mode, source), Int4DTypePolicy, GPTQDTypePolicy, AWQDTypePolicy
  /// and QuantizedFloat8DTypePolicy. Throws ValueError for unknown modes, and for "int8" with
  /// float16.
  static DTypePolicy quantized(const std::string& mode, const DTypePolicy& source);
  /// The policy without quantization.
  DTypePolicy source() const;
  /// {"module", "class_name", "config", "registered_name"}, Keras's form.
  Json serialize() const;
  /// From that form or a name. Throws ValueError.
  static DTypePolicy deserialize(const Json& json);
  /// A string for the constructor: the name, or serialize() if the name does not say everything.
  std::string text() const;

  operator std::string() const { return text(); }  // NOLINT(google-explicit-constructor)
};

namespace mixed_precision {
/// Sets the policy of layers that do not specify one. Default: the dtype config::floatx().
void set_global_policy(const std::string& name);
DTypePolicy global_policy();
/// Restores the default policy. clear_session() calls it.
void reset_global_policy();
}  // namespace mixed_precision

}  // namespace antler
