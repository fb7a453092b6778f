#include "data/permutation.h"

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "antler/base/philox.h"

namespace antler::data {
namespace {

/// The words of Philox under the key `seed`, counter (0, pass), (1, pass), ...
class Words {
 public:
  Words(uint64_t seed, uint64_t pass)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        pass_{static_cast<uint32_t>(pass), static_cast<uint32_t>(pass >> 32)} {}

  uint32_t next() {
    if (at_ == words_.size()) refill();
    return words_[at_++];
  }

  /// Uniform in [0, bound), exactly: products whose low half falls below 2^w mod bound would favour
  /// some results and are drawn again (Lemire, "Fast random integer generation in an interval",
  /// 2019). bound > 0.
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
    // Rejection by mask: simple, and such numbers of rows are rare.
    const uint64_t mask = ~uint64_t{0} >> __builtin_clzll(bound - 1);
    for (;;) {
      const uint64_t low = next();
      const uint64_t value = (uint64_t{next()} << 32 | low) & mask;
      if (value < bound) return value;
    }
  }

 private:
  void refill() {
    philox_blocks(words_, block_, pass_, key_);
    block_ += words_.size() / 4;
    at_ = 0;
  }

  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 2> pass_;
  uint64_t block_ = 0;
  std::array<uint32_t, 64> words_;
  size_t at_ = words_.size();
};

/// Fisher-Yates from the inside out: makes the identity, offset, and shuffles it in one go.
void permute(std::span<int64_t> order, int64_t offset, Words& words) {
  for (size_t i = 0; i < order.size(); ++i) {
    const uint64_t j = words.below(i + 1);
    order[i] = order[j];
    order[j] = offset + static_cast<int64_t>(i);
  }
}

}  // namespace

void random_permutation(std::span<int64_t> order, uint64_t seed, uint64_t pass) {
  Words words(seed, pass);
  permute(order, 0, words);
}

void random_batches(std::span<int64_t> order, int64_t chunk, uint64_t seed, uint64_t pass) {
  Words words(seed, pass);
  const auto size = static_cast<size_t>(chunk);
  std::vector<int64_t> chunks(order.size() / size);
  permute(chunks, 0, words);
  for (size_t i = 0; i < chunks.size(); ++i) {
    permute(order.subspan(i * size, size), chunks[i] * chunk, words);
  }
  const size_t whole = chunks.size() * size;
  permute(order.subspan(whole), static_cast<int64_t>(whole), words);
}

}  // namespace antler::data
