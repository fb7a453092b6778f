#pragma once

#include <string>

#include "antler/core/tensor.h"

namespace antler {

/// The values as NumPy's `str` writes an array. `tensor` must be a value.
std::string array_string(const Tensor& tensor);

}  // namespace antler
