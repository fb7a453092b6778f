#pragma once

#include <cstdint>
#include <map>

#include "antler/core/nest.h"

namespace antler::data {

/// float32 sample weights: the weights of the classes in `y`, times `sample_weight` if given
/// (aligned at axis 0). Throws ValueError as described at array_source().
Tensor apply_class_weight(const std::map<int64_t, double>& class_weight, const Nest& y,
                          const Nest& sample_weight);

}  // namespace antler::data
