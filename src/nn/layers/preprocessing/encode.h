#pragma once

#include <string>
#include <vector>

#include "antler/core/tensor.h"

namespace antler {

/// Encodes categories as Keras does. Under "int" the indices are cast to `dtype`. "one_hot" gives
/// [..., depth]; a last axis of size 1 is replaced. Under "multi_hot" (1 where a category occurs)
/// and "count", axis 1 (axis 0 of a vector), which holds a sample's categories, becomes [depth].
/// Indices outside [0, depth) are ignored. `count_weights`, of the shape of the indices, is what
/// each index adds under "count".
Tensor encode_categories(const Tensor& indices, const std::string& output_mode, int64_t depth,
                         DType dtype, const Tensor& count_weights = {});

/// Throws ValueError unless `value` is one of `allowed`.
void check_choice(const std::string& layer, const std::string& argument, const std::string& value,
                  const std::vector<std::string>& allowed);

}  // namespace antler
