#pragma once

#include <cstddef>

namespace antler::runtime {

/// Places parts one after the other in a scratch buffer, each 64-byte aligned.
class ScratchLayout {
 public:
  /// Returns the offset of a new part.
  size_t add(size_t bytes) {
    const size_t offset = bytes_;
    bytes_ += (bytes + 63) / 64 * 64;
    return offset;
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

}  // namespace antler::runtime
