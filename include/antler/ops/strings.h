#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

/// Ops on strings, which are handles; see string_handles.h.
namespace antler::ops {

/// Each number as TensorFlow's tf.strings.as_string() writes it: "3", "0.500000", "true". The
/// result has handles of strings, in the shape of `x`; strings stay as they are.
Tensor as_string(const Tensor& x);
/// Whether a host function is that of as_string(). For exporters.
bool is_as_string(int64_t host_function);

}  // namespace antler::ops
