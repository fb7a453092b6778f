#pragma once

#include <cstdint>

namespace antler {

/// In which order the rows of arrays come.
enum class Shuffle : uint8_t {
  none,   ///< as they are
  rows,   ///< a uniform permutation, another one for each pass
  batch,  ///< chunks of a batch's size in random order, and the rows within each
};

/// Field type of `.shuffle`, Keras's argument: true, false or "batch".
class ShuffleSpec {
 public:
  ShuffleSpec(bool on)  // NOLINT(google-explicit-constructor)
      : value_(on ? Shuffle::rows : Shuffle::none) {}
  ShuffleSpec(Shuffle value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  /// Throws ValueError for another text than "batch".
  ShuffleSpec(const char* text);  // NOLINT(google-explicit-constructor)
  Shuffle value() const { return value_; }

 private:
  Shuffle value_;
};

}  // namespace antler
