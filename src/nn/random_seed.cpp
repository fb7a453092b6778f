#include "antler/nn/random_seed.h"

#include <mutex>
#include <random>

#include "antler/ir/tracer.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/seed_state.h"

namespace antler {
namespace {

/// SplitMix64 (Steele et al. 2014): turns a counter into good random bits.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

struct Sequence {
  std::mutex mutex;
  uint64_t seed =
      mix((static_cast<uint64_t>(std::random_device()()) << 32) | std::random_device()());
  uint64_t count = 0;
  uint64_t settings = 0;  // number of calls of set_random_seed()
};

Sequence& sequence() {
  static Sequence instance;
  return instance;
}

Variable seed_state(uint32_t seed) {
  const ir::TraceSuspension suspension;
  return Variable(Tensor::of<uint32_t>({seed, 0}),
                  {.name = kSeedState,
                   .trainable = false,
                   .aggregation = VariableAggregation::only_first_replica});
}

}  // namespace

void set_random_seed(uint64_t seed) {
  Sequence& s = sequence();
  const std::lock_guard lock(s.mutex);
  s.seed = mix(seed);
  s.count = 0;
  ++s.settings;
}

uint32_t next_random_seed() {
  Sequence& s = sequence();
  const std::lock_guard lock(s.mutex);
  return static_cast<uint32_t>(mix(s.seed ^ mix(s.count++)) >> 32);
}

SeedSequence seed_sequence() {
  Sequence& s = sequence();
  const std::lock_guard lock(s.mutex);
  return {s.seed, s.count};
}

void set_seed_sequence(const SeedSequence& point) {
  Sequence& s = sequence();
  const std::lock_guard lock(s.mutex);
  s.seed = point.seed;
  s.count = point.count;
  ++s.settings;
}

SeedGenerator::SeedGenerator(std::optional<int64_t> seed)
    : seed_(seed), state_(seed_state(seed ? static_cast<uint32_t>(*seed) : next_random_seed())) {}

SeedGenerator global_seed_generator() {
  struct Current {
    uint64_t settings = 0;
    std::optional<SeedGenerator> generator;
  };
  thread_local Current current;
  uint64_t settings = 0;
  {
    Sequence& s = sequence();
    const std::lock_guard lock(s.mutex);
    settings = s.settings;
  }
  if (!current.generator || current.settings != settings) {
    current.generator.emplace();
    current.settings = settings;
  }
  return *current.generator;
}

Tensor SeedGenerator::next() const {
  Tensor seed = state_.value();
  state_.assign(ops::add(seed, Tensor::of<uint32_t>({0, 1})));
  return seed;
}

}  // namespace antler
