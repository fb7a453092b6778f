#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nn/quantization/scale_layout.h"

namespace antler {

/// What a quantized "input,kernel->output" needs to know.
struct EinsumQuantization {
  ScaleLayout input;
  ScaleLayout kernel;
  std::string gradient;  ///< equation from (gradient of the output, kernel) to that of the input
};

/// The order of an input's dimensions in which those come last that it shares with the kernel's
/// first `count` and the output does not have. Nothing where the kernel's first dimensions are
/// others.
std::optional<std::vector<int64_t>> contracted_last(const std::string& equation, int rank,
                                                    int count);

/// For an equation that einsum_shapes() accepts and an input of `rank`.
EinsumQuantization einsum_quantization(const std::string& equation, int rank);

}  // namespace antler
