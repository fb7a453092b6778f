#pragma once

#include <cstdint>
#include <vector>

#include "antler/nn/initializer.h"

namespace antler {

/// The initializer. A VarianceScaling (or a named special case) without axes gets these axes of the
/// kernel as its inputs and outputs.
Initializer with_axes(const Initializer& initializer, const std::vector<int64_t>& input_axes,
                      const std::vector<int64_t>& output_axes);

}  // namespace antler
