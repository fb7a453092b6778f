#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace antler {

inline constexpr int kPhiloxRounds = 10;
inline constexpr std::array<uint32_t, 2> kPhiloxMultipliers = {0xD2511F53, 0xCD9E8D57};
/// Added to the key in each round: the golden ratio and sqrt(3) - 1.
inline constexpr std::array<uint32_t, 2> kPhiloxWeyl = {0x9E3779B9, 0xBB67AE85};

/// Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
/// 2011): four random words that depend on a counter and a key alone.
constexpr std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                         std::array<uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t product0 = uint64_t{kPhiloxMultipliers[0]} * counter[0];
    const uint64_t product1 = uint64_t{kPhiloxMultipliers[1]} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += kPhiloxWeyl[0];
    key[1] += kPhiloxWeyl[1];
  }
  return counter;
}

/// Consecutive blocks: words 4 i .. 4 i + 3 are philox({first + i (low, high), high}, key). About
/// three times as fast as block by block, because the rounds of all blocks are interleaved.
template <size_t kWords>
constexpr void philox_blocks(std::array<uint32_t, kWords>& words, uint64_t first,
                             std::array<uint32_t, 2> high, std::array<uint32_t, 2> key) {
  constexpr size_t kBlocks = kWords / 4;
  static_assert(kBlocks * 4 == kWords);
  std::array<std::array<uint32_t, kBlocks>, 4> counter{};
  for (size_t i = 0; i < kBlocks; ++i) {
    counter[0][i] = static_cast<uint32_t>(first + i);
    counter[1][i] = static_cast<uint32_t>((first + i) >> 32);
    counter[2][i] = high[0];
    counter[3][i] = high[1];
  }
  for (int round = 0; round < kPhiloxRounds; ++round) {
    for (size_t i = 0; i < kBlocks; ++i) {
      const uint64_t product0 = uint64_t{kPhiloxMultipliers[0]} * counter[0][i];
      const uint64_t product1 = uint64_t{kPhiloxMultipliers[1]} * counter[2][i];
      counter[0][i] = static_cast<uint32_t>(product1 >> 32) ^ counter[1][i] ^ key[0];
      counter[1][i] = static_cast<uint32_t>(product1);
      counter[2][i] = static_cast<uint32_t>(product0 >> 32) ^ counter[3][i] ^ key[1];
      counter[3][i] = static_cast<uint32_t>(product0);
    }
    key[0] += kPhiloxWeyl[0];
    key[1] += kPhiloxWeyl[1];
  }
  for (size_t i = 0; i < kBlocks; ++i) {
    for (size_t j = 0; j < 4; ++j) words[4 * i + j] = counter[j][i];
  }
}

}  // namespace antler
