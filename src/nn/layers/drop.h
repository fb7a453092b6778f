#pragma once

#include <optional>

#include "antler/nn/random_seed.h"

namespace antler {

/// Throws ValueError unless `value` of the argument `what` is in [0, 1].
void check_part(double value, const char* what);
/// `shape` with its sizes replaced by those of `noise_shape`, where None keeps a size. Throws
/// ValueError naming `layer` if the ranks differ.
Shape noise_shape_of(const Shape& shape, const Shape& noise_shape, const char* layer);
/// Booleans, each true with probability 1 - rate.
Tensor random_keep(const SeedGenerator& seed, const Shape& shape, double rate);
/// Sets the elements that a mask of `noise_shape` drops to 0 and divides the others by 1 - rate.
Tensor drop(const Tensor& x, const SeedGenerator& seed, const Shape& noise_shape, double rate);

}  // namespace antler
