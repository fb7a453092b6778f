#include "io/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace antler::io {

std::vector<double> histogram_rows(const std::vector<double>& numbers, int64_t buckets) {
  std::vector<double> rows(static_cast<size_t>(buckets) * 3);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double x : numbers) {
    if (!std::isfinite(x)) continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (buckets == 0 || low > high) return rows;
  const double width = (high - low) / static_cast<double>(buckets);
  for (size_t i = 0; i < static_cast<size_t>(buckets); ++i) {
    rows[3 * i] = low + width * static_cast<double>(i);
    rows[3 * i + 1] =
        i + 1 == static_cast<size_t>(buckets) ? high : low + width * static_cast<double>(i + 1);
  }
  for (const double x : numbers) {
    if (!std::isfinite(x)) continue;
    // If the width is zero, or so small that the division overflows, the last bucket counts all.
    const double place = width > 0 ? std::floor((x - low) / width) : static_cast<double>(buckets);
    const auto bucket =
        static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(buckets - 1)));
    rows[3 * bucket + 2] += 1;
  }
  return rows;
}

}  // namespace antler::io
