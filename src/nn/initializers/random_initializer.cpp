#include "nn/initializers/random_initializer.h"

#include "antler/nn/random_seed.h"

namespace antler {
namespace {

/// The second word of the key for 32-bit seeds. It separates initial values from the streams of
/// seed generators, whose second word counts from 0.
constexpr uint32_t kInitializerStream = 0x696e6974;

}  // namespace

RandomInitializer::RandomInitializer(std::optional<int64_t> seed, SeedUse use) : given_(seed) {
  if (seed) {
    fixed_ = seed;
  } else if (use == SeedUse::once) {
    fixed_ = next_random_seed();
  }
}

Tensor RandomInitializer::seed() const {
  const uint64_t value =
      static_cast<uint64_t>(fixed_ ? *fixed_ : static_cast<int64_t>(next_random_seed()));
  return Tensor::of<uint32_t>(
      {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32) ^ kInitializerStream});
}

}  // namespace antler
