#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

/// Ops on strings, which are handles; see string_handles.h.
namespace antler::ops {

/// Formats each number like TensorFlow's tf.strings.as_string(): "3", "0.500000", "true". Returns
/// handles of strings, in the shape of `x`. Strings are unchanged.
Tensor as_string(const Tensor& x);
/// Whether this is the host function of as_string(). For exporters.
bool is_as_string(int64_t host_function);

}  // namespace antler::ops
