#pragma once

#include <cstdint>
#include <optional>

#include "antler/core/variable.h"

namespace antler {

/// Makes random draws reproducible from now on: initial weights, dropout, shuffling. Otherwise each
/// process starts from a different seed.
void set_random_seed(uint64_t seed);
/// The next seed of the process-wide sequence; any thread.
uint32_t next_random_seed();

/// Where the process-wide sequence of seeds stands.
struct SeedSequence {
  uint64_t seed = 0;
  uint64_t count = 0;  ///< of the seeds that were drawn
};
SeedSequence seed_sequence();
/// Continues at another point, e.g. at that of another process.
void set_seed_sequence(const SeedSequence& point);

/// A stream of seeds for random ops, kept in a variable (uint32 [2]: seed, number of draws) so that
/// a compiled loop draws the same numbers however many steps one call runs. A handle.
class SeedGenerator {
 public:
  /// Not given: a seed of the process-wide sequence.
  explicit SeedGenerator(std::optional<int64_t> seed = {});

  /// The seed of one draw, uint32 [2]; each call gives another.
  Tensor next() const;
  const Variable& state() const { return state_; }
  /// The seed it was made with, if one was given.
  const std::optional<int64_t>& seed() const { return seed_; }

 private:
  std::optional<int64_t> seed_;
  Variable state_;
};

/// The generator of random functions that are given no seed: one for each thread, made anew when
/// set_random_seed() was called since.
SeedGenerator global_seed_generator();

}  // namespace antler
