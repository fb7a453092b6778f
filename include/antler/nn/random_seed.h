#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "antler/core/named_only.h"
#include "antler/core/variable.h"

namespace antler {

/// Makes later random draws reproducible: initial weights, dropout, shuffling. Without it, each
/// process starts from a different seed.
void set_random_seed(uint64_t seed);
/// The next seed of the process-wide sequence. Thread-safe.
uint32_t next_random_seed();

/// A position in the process-wide sequence of seeds.
struct SeedSequence {
  uint64_t seed = 0;
  uint64_t count = 0;  ///< number of seeds drawn so far
};
SeedSequence seed_sequence();
/// Continues from another position, for example that of another process.
void set_seed_sequence(const SeedSequence& point);

/// Options of SeedGenerator.
struct SeedGeneratorOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> seed = {};  ///< not given: see SeedGenerator
};

/// A stream of seeds for random ops, kept in a variable (uint32 [2]: seed, number of draws) so that
/// a compiled loop draws the same numbers no matter how many steps one call runs. A handle.
class SeedGenerator {
 public:
  /// `seed` not given: the next seed of the process-wide sequence.
  explicit SeedGenerator(std::optional<int64_t> seed = {});
  /// `SeedGenerator({.seed = 1337})`. (A template, so that `{}` and `{1}` are seeds.)
  template <class Options = SeedGeneratorOptions>
  explicit SeedGenerator(const std::type_identity_t<Options>& options)
      : SeedGenerator(options.seed) {}

  /// The seed of one draw, uint32 [2]; each call gives another.
  Tensor next() const;
  const Variable& state() const { return state_; }
  /// The seed it was made with, if one was given.
  const std::optional<int64_t>& seed() const { return seed_; }

 private:
  std::optional<int64_t> seed_;
  Variable state_;
};

/// The generator for random functions that are given no seed. There is one per thread; it is
/// recreated after set_random_seed().
SeedGenerator global_seed_generator();

}  // namespace antler
