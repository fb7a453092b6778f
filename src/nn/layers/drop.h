#pragma once

#include <optional>

#include "antler/nn/random_seed.h"

namespace antler {

/// Throws ValueError unless `value`, the argument `what`, is in [0, 1].
void check_part(double value, const char* what);
/// `shape` with the given entries of `noise_shape` in place of its own; -1 keeps. Throws ValueError
/// naming `layer` when the ranks differ.
Shape noise_shape_of(const Shape& shape, const std::vector<int64_t>& noise_shape,
                     const char* layer);
/// Booleans, each true with probability 1 - rate.
Tensor random_keep(const SeedGenerator& seed, const Shape& shape, double rate);
/// Elements where a mask of `noise_shape` drops are 0, the others are divided by 1 - rate.
Tensor drop(const Tensor& x, const SeedGenerator& seed, const Shape& noise_shape, double rate);

}  // namespace antler
