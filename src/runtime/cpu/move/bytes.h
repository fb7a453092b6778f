#pragma once

#include <cstdint>
#include <cstring>

#include "antler/core/dtype.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {

inline void copy_bytes(const void* from, void* to, int64_t bytes, int threads) {
  parallel_ranges(threads_for_bytes(threads, bytes), bytes, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                static_cast<size_t>(end - begin));
  });
}

/// Element `i` of an integer array.
inline int64_t index_at(const void* indices, DType dtype, int64_t i) {
  switch (dtype) {
    case DType::int8:
      return static_cast<const int8_t*>(indices)[i];
    case DType::int16:
      return static_cast<const int16_t*>(indices)[i];
    case DType::int32:
      return static_cast<const int32_t*>(indices)[i];
    case DType::uint8:
      return static_cast<const uint8_t*>(indices)[i];
    case DType::uint16:
      return static_cast<const uint16_t*>(indices)[i];
    case DType::uint32:
      return static_cast<const uint32_t*>(indices)[i];
    default:
      return static_cast<const int64_t*>(indices)[i];
  }
}

}  // namespace antler::runtime
