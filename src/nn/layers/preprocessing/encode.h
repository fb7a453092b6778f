#pragma once

#include <string>
#include <vector>

#include "antler/core/tensor.h"

namespace antler {

/// Keras's encodings of categories. "int": the indices as `dtype`. "one_hot": [..., depth], a
/// last axis of size 1 is replaced. "multi_hot" (1 where a category occurs) and "count": the axis
/// of a sample's categories, 1 (or 0 for a vector), becomes [depth]. Indices outside of [0, depth)
/// count nowhere. `count_weights`, of the shape of the indices, is what each counts.
Tensor encode_categories(const Tensor& indices, const std::string& output_mode, int64_t depth,
                         DType dtype, const Tensor& count_weights = {});

/// Throws ValueError unless `value` is one of `allowed`.
void check_choice(const std::string& layer, const std::string& argument, const std::string& value,
                  const std::vector<std::string>& allowed);

}  // namespace antler
