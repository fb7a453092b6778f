#pragma once

#include <optional>

#include "antler/nn/quantization_config.h"
#include "nn/fields.h"

/// The field `quantization_config` of layers.
namespace antler {

inline void write_field(Json& out, const QuantizationConfig& value) { out = value.serialize(); }

inline void read_field(const Json& in, std::optional<QuantizationConfig>& value) {
  if (in.is_null()) {
    value.reset();
  } else {
    value = QuantizationConfig::deserialize(in);
  }
}

}  // namespace antler
