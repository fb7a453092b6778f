#pragma once

#include "antler/core/tensor.h"

namespace antler::estimator::train {

/// Which rows a gradient of gathered rows has values in (TensorFlow's IndexedSlices): booleans
/// [rows, 1, ...] of the gradient's rank. Undefined for a gradient of the whole variable.
Tensor gathered_rows(const Tensor& gradient);

}  // namespace antler::estimator::train
