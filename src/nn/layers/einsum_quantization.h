#pragma once

#include <string>

#include "nn/layers/scale_layout.h"

namespace antler {

/// What a quantized "input,kernel->output" needs to know.
struct EinsumQuantization {
  ScaleLayout input;
  ScaleLayout kernel;
  std::string gradient;  ///< equation from (gradient of the output, kernel) to that of the input
};

/// For an equation that einsum_shapes() accepts and an input of `rank`.
EinsumQuantization einsum_quantization(const std::string& equation, int rank);

}  // namespace antler
