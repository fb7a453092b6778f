#pragma once

#include <vector>

#include "antler/core/tensor.h"

/// Reference loops whose arithmetic is done in double, whatever the dtype of the operands: read
/// with Tensor::to_doubles(), computed, written with this.
namespace antler::ops {

/// Rounds `values` to the dtype of `out`; the counts must be equal.
void store_doubles(const Tensor& out, const std::vector<double>& values);

}  // namespace antler::ops
