#pragma once

#include "antler/core/tensor.h"
#include "antler/nn/random_seed.h"

namespace antler {

/// The factor of dropout: 0 with probability `rate`, else 1 / (1 - rate).
Tensor dropout_mask(const SeedGenerator& seeds, const Shape& shape, double rate, DType dtype);

}  // namespace antler
