#pragma once

#include "antler/base/json.h"
#include "antler/core/tensor.h"

/// Arrays in Keras's configurations: {"class_name": "__numpy__" or "__tensor__", "config":
/// {"value": nested lists, "dtype"}}.
namespace antler {

bool is_array_config(const Json& json);
/// Throws ValueError for lists of different lengths, items that are not numbers, and an unknown
/// dtype. Requires is_array_config().
Tensor array_from_config(const Json& json);
Json array_to_config(const Tensor& array);
/// The numbers and booleans of nested lists as float64. Throws ValueError as above.
Tensor array_from_lists(const Json& json);

}  // namespace antler
