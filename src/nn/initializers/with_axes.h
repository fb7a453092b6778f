#pragma once

#include <cstdint>
#include <vector>

#include "antler/nn/initializer.h"

namespace antler {

/// A VarianceScaling (or a named case of it) that knows which axes of a kernel are summed over and
/// which are made, unless it has axes; other initializers as they are.
Initializer with_axes(const Initializer& initializer, const std::vector<int64_t>& input_axes,
                      const std::vector<int64_t>& output_axes);

}  // namespace antler
