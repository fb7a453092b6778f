#pragma once

#include <cstdint>

namespace antler {

/// How a range of numbers becomes the levels 0 .. 2^bits - 1: x is about (level - zero) * scale.
struct Rounding {
  float scale = 1;
  float zero = 0;       ///< a whole number, 0 .. 255
  float max_level = 0;  ///< 2^bits - 1

  /// For numbers from `lowest` to `highest`. `symmetric`: zero is the middle level. As Keras's,
  /// but a range that would need a zero outside of 0 .. 255 (which is all that is kept of it) is
  /// widened to hold 0.
  static Rounding of_range(float lowest, float highest, int64_t bits, bool symmetric);
  float level(float x) const;
  float value(float level) const { return scale * (level - zero); }
};

/// Lowest and highest of many numbers.
struct Range {
  float lowest;
  float highest;

  static Range of(const float* values, int64_t count);
  void add(float value);
};

}  // namespace antler
