#include "antler/base/philox.h"

#include <gtest/gtest.h>

namespace antler {
namespace {

// Known answers of philox4x32-10, published with the Random123 library (kat_vectors).
TEST(PhiloxTest, GivesTheKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, ManyBlocksAreTheBlocksOneByOne) {
  const uint64_t first = 0xfffffffe;  // the low half wraps on the way
  std::array<uint32_t, 16> words{};
  philox_blocks(words, first, {5, 6}, {7, 8});
  for (uint32_t i = 0; i < 4; ++i) {
    const uint64_t counter = first + i;
    const auto block = philox(
        {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 5, 6}, {7, 8});
    for (uint32_t j = 0; j < 4; ++j) EXPECT_EQ(words[4 * i + j], block[j]);
  }
}

}  // namespace
}  // namespace antler
