#pragma once

#include <cstdint>
#include <vector>

namespace antler::io {

/// How numbers are spread: rows [left edge, right edge, count], TensorBoard's form. `buckets` rows
/// of equal width from the least to the greatest; where all numbers are equal the last row holds
/// them, and no numbers give zeros. Numbers that are not finite are left out.
std::vector<double> histogram_rows(const std::vector<double>& numbers, int64_t buckets);

}  // namespace antler::io
