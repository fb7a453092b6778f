#pragma once

#include <vector>

#include "antler/core/tensor.h"

/// For reference loops that compute in double whatever the dtype: they read with
/// Tensor::to_doubles() and write with store_doubles().
namespace antler {

/// Rounds `values` to the dtype of `out`; the counts must be equal.
void store_doubles(const Tensor& out, const std::vector<double>& values);

}  // namespace antler
