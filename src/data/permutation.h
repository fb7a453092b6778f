#pragma once

#include <cstdint>
#include <span>

namespace antler::data {

/// Fills `order` with a uniform random permutation of 0 .. size-1. It depends on the three numbers
/// (seed, pass, size) alone: the same on every machine, and without a state to save.
void random_permutation(std::span<int64_t> order, uint64_t seed, uint64_t pass);

/// The same, but chunks of `chunk` consecutive numbers stay together: they come in random order,
/// each in random order itself. What is left over from whole chunks comes last.
void random_batches(std::span<int64_t> order, int64_t chunk, uint64_t seed, uint64_t pass);

}  // namespace antler::data
