#pragma once

#include <cstdint>
#include <vector>

namespace antler::compiler {

/// Bytes that are needed from one step to another, both included.
struct Interval {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
  int64_t offset = 0;  ///< set by pack()
};

inline constexpr int64_t kAlignment = 64;

/// Chooses offsets, multiples of kAlignment, such that intervals that overlap in time do not in
/// space; returns the size of the whole. Largest first, each into the tightest gap: close to the
/// least possible.
int64_t pack(std::vector<Interval>& intervals);

}  // namespace antler::compiler
