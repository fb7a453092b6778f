#pragma once

#include <cstdint>
#include <optional>

#include "antler/core/dtype.h"

/// TensorFlow's numbers for dtypes (types.proto).
namespace antler::io {

inline constexpr int64_t kTfString = 7;
inline constexpr int64_t kTfResource = 20;

int64_t tf_data_type(DType dtype);
/// nullopt for strings and dtypes that tensors do not have.
std::optional<DType> dtype_of_tf(int64_t number);

}  // namespace antler::io
