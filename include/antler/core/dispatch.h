#pragma once

#include <cstdint>
#include <type_traits>

#include "antler/core/dtype.h"
#include "antler/core/half.h"

namespace antler {

/// The DType of a C++ type.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::float64;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return DType::bfloat16;
  else if constexpr (std::is_same_v<T, float16>)
    return DType::float16;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DType::int8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return DType::int16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DType::int32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DType::int64;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DType::uint8;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return DType::uint16;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return DType::uint32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return DType::uint64;
  else {
    static_assert(std::is_same_v<T, bool>, "no dtype for this type");
    return DType::boolean;
  }
}

/// Calls `f.template operator()<T>()` with the C++ type of `dtype`.
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float32:
      return f.template operator()<float>();
    case DType::float64:
      return f.template operator()<double>();
    case DType::bfloat16:
      return f.template operator()<bfloat16>();
    case DType::float16:
      return f.template operator()<float16>();
    case DType::int8:
      return f.template operator()<int8_t>();
    case DType::int16:
      return f.template operator()<int16_t>();
    case DType::int32:
      return f.template operator()<int32_t>();
    case DType::int64:
      return f.template operator()<int64_t>();
    case DType::uint8:
      return f.template operator()<uint8_t>();
    case DType::uint16:
      return f.template operator()<uint16_t>();
    case DType::uint32:
      return f.template operator()<uint32_t>();
    case DType::uint64:
      return f.template operator()<uint64_t>();
    case DType::boolean:
      break;
  }
  return f.template operator()<bool>();
}

/// The type in which arithmetic on T is done: float for the half types, T otherwise.
template <class T>
using ComputeType =
    std::conditional_t<std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>, float, T>;

}  // namespace antler
