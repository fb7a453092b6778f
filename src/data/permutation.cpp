#include "data/permutation.h"

#include <cstddef>
#include <vector>

#include "data/random_words.h"

namespace antler::data {
namespace {

/// Inside-out Fisher-Yates shuffle of the numbers offset, offset + 1, ...
void permute(std::span<int64_t> order, int64_t offset, RandomWords& words) {
  for (size_t i = 0; i < order.size(); ++i) {
    const uint64_t j = words.below(i + 1);
    order[i] = order[j];
    order[j] = offset + static_cast<int64_t>(i);
  }
}

}  // namespace

void random_permutation(std::span<int64_t> order, uint64_t seed, uint64_t pass) {
  RandomWords words(seed, pass);
  permute(order, 0, words);
}

void random_batches(std::span<int64_t> order, int64_t chunk, uint64_t seed, uint64_t pass) {
  RandomWords words(seed, pass);
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
