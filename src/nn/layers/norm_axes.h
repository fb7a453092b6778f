#pragma once

#include "antler/core/shape.h"
#include "antler/nn/axis_list.h"
#include "antler/ops/axes.h"

namespace antler {

/// Axes of an input that are normalized together.
struct NormAxes {
  ops::Axes axes;  ///< in [0, rank), ordered by the given numbers: negative ones come first
  Shape sizes;     ///< of these axes, in this order
  Shape aligned;   ///< the input's rank, 1 for the other axes
};
/// Throws ValueError, with `what` in the message, for an axis out of range.
NormAxes norm_axes(const AxisList& axis, const Shape& input_shape, const char* what);

}  // namespace antler
