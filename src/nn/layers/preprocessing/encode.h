#pragma once

#include <string>
#include <vector>

#include "antler/core/tensor.h"

namespace antler {

/// Encodes categories as Keras does. Under "int" the indices are cast to `dtype`. "one_hot" gives
/// [..., depth], where depth replaces a last axis of size 1. "multi_hot" (1 where a category
/// occurs) and "count" replace axis 1 (axis 0 of a vector), which contains the categories of a
/// sample, by [depth]. Indices outside [0, depth) are ignored. Under "count", each index adds its
/// element of `count_weights`, which has the shape of the indices, or 1.
Tensor encode_categories(const Tensor& indices, const std::string& output_mode, int64_t depth,
                         DType dtype, const Tensor& count_weights = {});

/// Throws ValueError unless `value` is one of `allowed`.
void check_choice(const std::string& layer, const std::string& argument, const std::string& value,
                  const std::vector<std::string>& allowed);

}  // namespace antler
