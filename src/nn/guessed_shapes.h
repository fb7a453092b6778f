#pragma once

#include <vector>

#include "antler/core/variable.h"

namespace antler {

/// Ways to replace unknown dimensions of the tensors of a call by known sizes, likeliest first: the
/// sizes at the same axis of other tensors, then any size of a tensor or weight, for one dimension
/// or for all.
std::vector<std::vector<Shape>> guessed_shapes(const std::vector<Shape>& shapes,
                                               const Variables& weights);

}  // namespace antler
