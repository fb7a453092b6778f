#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace antler::data {

/// numpy.random.RandomState(seed).shuffle, which determines Keras's orders and splits: a
/// Fisher-Yates shuffle from the end. Indices are masked random words; one that is too large is
/// drawn again. Advances `words`.
template <class T>
void numpy_shuffle(std::vector<T>& values, std::mt19937& words) {
  for (size_t i = values.size(); i-- > 1;) {
    const uint32_t mask = ~uint32_t{0} >> std::countl_zero(static_cast<uint32_t>(i));
    uint32_t j = 0;
    do {
      j = static_cast<uint32_t>(words()) & mask;
    } while (j > i);
    std::swap(values[i], values[j]);
  }
}

/// The first shuffle of a RandomState that was created with `seed`.
template <class T>
void numpy_shuffle(std::vector<T>& values, uint32_t seed) {
  std::mt19937 words(seed);
  numpy_shuffle(values, words);
}

}  // namespace antler::data
