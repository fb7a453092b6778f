#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/nn/axis_list.h"
#include "nn/fields.h"

namespace antler {

/// Visits the field `axis` of a class where null means all axes; an empty list represents null.
template <class V>
void axes_or_null(V& v, AxisList& axis) {
  std::optional<AxisList> given;
  if (!axis.values().empty()) given = axis;
  v("axis", given);
  axis = given ? *given : AxisList();
}

}  // namespace antler
