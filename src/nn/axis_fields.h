#pragma once

#include <optional>

#include "antler/nn/axis_list.h"
#include "nn/fields.h"

/// Fields for axes that may be omitted.
namespace antler {

inline void read_field(const Json& in, std::optional<AxisList>& value) {
  value.reset();
  if (in.is_null()) return;
  AxisList axes = 0;
  read_field(in, axes);
  value = axes;
}

}  // namespace antler
