#pragma once

#include <cstdint>

namespace antler {

/// The order of the rows of arrays.
enum class Shuffle : uint8_t {
  none,   ///< in order
  rows,   ///< a uniform permutation, a new one in each pass
  batch,  ///< batch-sized chunks in random order, with shuffled rows in each
};

/// Type of Keras's argument `shuffle`: true, false or "batch".
class ShuffleSpec {
 public:
  ShuffleSpec(bool on)  // NOLINT(google-explicit-constructor)
      : value_(on ? Shuffle::rows : Shuffle::none) {}
  ShuffleSpec(Shuffle value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  /// Throws ValueError for a string other than "batch".
  ShuffleSpec(const char* mode);  // NOLINT(google-explicit-constructor)
  Shuffle value() const { return value_; }

 private:
  Shuffle value_;
};

}  // namespace antler
