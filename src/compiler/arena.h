#pragma once

#include <cstdint>
#include <vector>

namespace antler::compiler {

/// A block of memory in use from step `first` to step `last`, both included.
struct Interval {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
  int64_t offset = 0;  ///< set by pack()
};

inline constexpr int64_t kAlignment = 64;

/// Chooses offsets, multiples of kAlignment, so that intervals that overlap in time do not overlap
/// in memory; returns the total size. Places the largest intervals first, each into the tightest
/// gap; the result is close to the optimum.
int64_t pack(std::vector<Interval>& intervals);

}  // namespace antler::compiler
