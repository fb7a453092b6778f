#pragma once

#include <cstdint>

namespace antler {

/// Maps numbers to levels 0 .. 2^bits - 1: x is about (level - zero) * scale.
struct Rounding {
  float scale = 1;
  float zero = 0;       ///< an integer, 0 .. 255
  float max_level = 0;  ///< 2^bits - 1

  /// The rounding of numbers from `lowest` to `highest`. `symmetric`: zero is the middle level.
  /// Like Keras, except that a range whose zero would be outside 0 .. 255 is extended to contain 0,
  /// because the zero is stored as a byte.
  static Rounding of_range(float lowest, float highest, int64_t bits, bool symmetric);
  float level(float x) const;
  float value(float level) const { return scale * (level - zero); }
};

/// The minimum and maximum of some numbers.
struct Range {
  float lowest;
  float highest;

  static Range of(const float* values, int64_t count);
  void add(float value);
};

}  // namespace antler
