#pragma once

#include <bit>
#include <cstdint>

namespace antler {

/// Brain float: the upper half of an IEEE float32. Storage type; arithmetic is done in float.
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  /// Rounds to nearest, ties to even; NaN stays NaN.
  bfloat16(float value) {  // NOLINT(google-explicit-constructor): behaves as a number
    uint32_t u = std::bit_cast<uint32_t>(value);
    if ((u & 0x7fffffffU) > 0x7f800000U) {
      bits = static_cast<uint16_t>((u >> 16) | 0x40U);
    } else {
      bits = static_cast<uint16_t>((u + 0x7fffU + ((u >> 16) & 1U)) >> 16);
    }
  }
  operator float() const {  // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

/// IEEE half precision. Storage type; arithmetic is done in float.
struct float16 {
  uint16_t bits = 0;
  float16() = default;
  /// Rounds to nearest, ties to even; overflow gives infinity.
  float16(float value);    // NOLINT(google-explicit-constructor): behaves as a number
  operator float() const;  // NOLINT(google-explicit-constructor)
};

}  // namespace antler
