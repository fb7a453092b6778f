#pragma once

#include "antler/core/tensor.h"

namespace antler::estimator::train {

/// The rows of a variable for which a gradient has values, if all of these belong to rows that were
/// gathered; TensorFlow calls such gradients IndexedSlices. Booleans [rows, 1, ...] of the
/// gradient's rank. Undefined for a gradient of the whole variable.
Tensor gathered_rows(const Tensor& gradient);

}  // namespace antler::estimator::train
