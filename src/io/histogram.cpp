#include "io/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace antler::io {
namespace {

/// Upper limits of the buckets.
std::vector<double> growing_limits() {
  constexpr double kFirst = 1e-12;
  constexpr double kLast = 1e20;
  constexpr double kGrowth = 1.1;
  std::vector<double> positive;
  for (double limit = kFirst; limit < kLast; limit *= kGrowth) positive.push_back(limit);
  positive.push_back(std::numeric_limits<double>::max());
  std::vector<double> limits;
  for (auto it = positive.rbegin(); it != positive.rend(); ++it) limits.push_back(-*it);
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

}  // namespace

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

WireWriter histogram_message(const std::vector<double>& numbers) {
  static const std::vector<double> limits = growing_limits();
  std::vector<double> counts(limits.size());
  double low = std::numeric_limits<double>::max();
  double high = -low;
  double count = 0;
  double sum = 0;
  double sum_of_squares = 0;
  for (const double x : numbers) {
    if (!std::isfinite(x)) continue;
    const auto bucket = std::upper_bound(limits.begin(), limits.end() - 1, x) - limits.begin();
    counts[static_cast<size_t>(bucket)] += 1;
    low = std::min(low, x);
    high = std::max(high, x);
    count += 1;
    sum += x;
    sum_of_squares += x * x;
  }
  // Joins adjacent empty buckets.
  std::vector<double> kept_limits;
  std::vector<double> kept_counts;
  for (size_t i = 0; i < limits.size(); ++i) {
    if (counts[i] == 0 && !kept_counts.empty() && kept_counts.back() == 0) {
      kept_limits.back() = limits[i];
    } else {
      kept_limits.push_back(limits[i]);
      kept_counts.push_back(counts[i]);
    }
  }
  WireWriter message;
  message.float64(1, low);
  message.float64(2, high);
  message.float64(3, count);
  message.float64(4, sum);
  message.float64(5, sum_of_squares);
  message.packed(6, kept_limits);
  message.packed(7, kept_counts);
  return message;
}

}  // namespace antler::io
