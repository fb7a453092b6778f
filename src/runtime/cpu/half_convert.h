#pragma once

#include <cstdint>

#include "antler/core/dtype.h"

namespace antler::runtime {

/// Converts bfloat16 or float16 to float32 and back, on up to `threads` threads.
void to_float32(DType from, const void* in, float* out, int64_t count, int threads);
void from_float32(DType to, const float* in, void* out, int64_t count, int threads);

}  // namespace antler::runtime
