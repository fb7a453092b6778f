#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "antler/base/philox.h"

namespace antler::data {

/// Random numbers of Philox with key `seed` and counters (0, stream), (1, stream), ...
class RandomWords {
 public:
  RandomWords(uint64_t seed, uint64_t stream)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        stream_{static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)} {}

  uint32_t next() {
    if (at_ == words_.size()) refill();
    return words_[at_++];
  }

  /// Exactly uniform in [0, bound); bound > 0. Products whose low half is below 2^32 mod bound
  /// would bias the result and are rejected (Lemire, "Fast random integer generation in an
  /// interval", 2019).
  uint64_t below(uint64_t bound) {
    if (bound <= std::numeric_limits<uint32_t>::max()) {
      const auto narrow = static_cast<uint32_t>(bound);
      uint64_t product = uint64_t{next()} * narrow;
      if (static_cast<uint32_t>(product) < narrow) {
        const uint32_t least = (0U - narrow) % narrow;
        while (static_cast<uint32_t>(product) < least) product = uint64_t{next()} * narrow;
      }
      return product >> 32;
    }
    // Rejection by mask is slower but simple. Such bounds are rare.
    const uint64_t mask = ~uint64_t{0} >> __builtin_clzll(bound - 1);
    for (;;) {
      const uint64_t low = next();
      const uint64_t value = (uint64_t{next()} << 32 | low) & mask;
      if (value < bound) return value;
    }
  }

 private:
  void refill() {
    philox_blocks(words_, block_, stream_, key_);
    block_ += words_.size() / 4;
    at_ = 0;
  }

  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 2> stream_;
  uint64_t block_ = 0;
  std::array<uint32_t, 64> words_;
  size_t at_ = words_.size();
};

}  // namespace antler::data
