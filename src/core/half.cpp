#include "antler/core/half.h"

namespace antler {

float16::float16(float value) {
  const uint32_t u = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((u >> 16) & 0x8000U);
  const uint32_t magnitude = u & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {  // NaN
    bits = static_cast<uint16_t>(sign | 0x7e00U);
  } else if (magnitude >= 0x477ff000U) {  // rounds to 65536 or more
    bits = static_cast<uint16_t>(sign | 0x7c00U);
  } else if (magnitude >= 0x38800000U) {  // normal
    const uint32_t rounded = magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U);
    bits = static_cast<uint16_t>(sign | (rounded >> 13));
  } else {  // subnormal or zero: adding 0.5 aligns the mantissa so that the FPU does the rounding
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    bits = static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000U));
  }
}

float16::operator float() const {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fU;
  const uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0x1fU) return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (mantissa << 13));
  const float value = static_cast<float>(mantissa) * 0x1p-24F;
  return sign != 0 ? -value : value;
}

}  // namespace antler
