#pragma once

#include <cstdint>
#include <vector>

#include "antler/nn/initializer.h"

namespace antler {

/// The initializer; if it is a VarianceScaling (or a named case of it) without axes, with these
/// axes of the kernel as inputs and outputs.
Initializer with_axes(const Initializer& initializer, const std::vector<int64_t>& input_axes,
                      const std::vector<int64_t>& output_axes);

}  // namespace antler
