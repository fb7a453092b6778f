#include "nn/quantizers/rounding.h"

#include <algorithm>
#include <cmath>

namespace antler {

Rounding Rounding::of_range(float lowest, float highest, int64_t bits, bool symmetric) {
  const auto max_level = static_cast<float>((int64_t{1} << bits) - 1);
  if (symmetric) {
    highest = std::max(std::abs(lowest), highest);
    lowest = -highest;
  }
  if (lowest == highest) {
    lowest -= 1;
    highest += 1;
  }
  const auto made = [&] {
    const float step = (highest - lowest) / max_level;
    const float scale = step <= 0 ? 1e-8F : step;
    const float zero = symmetric ? (max_level + 1) / 2 : std::nearbyint(-lowest / scale);
    return Rounding{.scale = scale, .zero = zero, .max_level = max_level};
  };
  Rounding result = made();
  if (result.zero < 0 || result.zero > 255) {
    lowest = std::min(lowest, 0.0F);
    highest = std::max(highest, 0.0F);
    result = made();
  }
  return result;
}

float Rounding::level(float x) const {
  return std::clamp(std::nearbyint(x / scale + zero), 0.0F, max_level);
}

Range Range::of(const float* values, int64_t count) {
  const auto [lowest, highest] = std::minmax_element(values, values + count);
  return {*lowest, *highest};
}

void Range::add(float value) {
  lowest = std::min(lowest, value);
  highest = std::max(highest, value);
}

}  // namespace antler
