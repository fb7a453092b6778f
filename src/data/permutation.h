#pragma once

#include <cstdint>
#include <span>

namespace antler::data {

/// Fills `order` with a uniform random permutation of 0 .. size-1. It depends only on (seed, pass,
/// size): it is the same on all machines, and there is no state to save.
void random_permutation(std::span<int64_t> order, uint64_t seed, uint64_t pass);

/// The same, but chunks of `chunk` consecutive numbers stay together. The chunks are shuffled, and
/// so are the numbers in each. An incomplete chunk comes last.
void random_batches(std::span<int64_t> order, int64_t chunk, uint64_t seed, uint64_t pass);

}  // namespace antler::data
