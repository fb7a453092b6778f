#pragma once

#include <cstdint>
#include <vector>

#include "io/wire.h"

namespace antler::io {

/// A histogram in TensorBoard's form: rows [left edge, right edge, count] of `buckets` buckets of
/// equal width from the smallest to the largest number. If all numbers are equal, the last bucket
/// counts them; without numbers all rows are zeros. Numbers that are not finite are ignored.
std::vector<double> histogram_rows(const std::vector<double>& numbers, int64_t buckets);

/// The HistogramProto of TensorFlow 1's summaries: on both sides of zero, buckets that grow by 10 %
/// from 1e-12 on. Numbers that are not finite are ignored.
WireWriter histogram_message(const std::vector<double>& numbers);

}  // namespace antler::io
