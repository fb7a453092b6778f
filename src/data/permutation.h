#pragma once

#include <cstdint>
#include <span>

namespace antler::data {

/// Fills `order` with a uniform random permutation of 0 .. size-1. It depends on the three numbers
/// (seed, pass, size) alone: the same on every machine, and without a state to save.
void random_permutation(std::span<int64_t> order, uint64_t seed, uint64_t pass);

}  // namespace antler::data
