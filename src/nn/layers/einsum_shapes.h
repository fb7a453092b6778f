#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/shape.h"

namespace antler {

/// Shapes of the weights of an EinsumDense.
struct EinsumShapes {
  Shape kernel;
  std::optional<Shape> bias;
  std::vector<int64_t> input_axes = {};   ///< of the kernel: those that only the input has,
  std::vector<int64_t> output_axes = {};  ///< and those of the output
};
/// Throws ValueError when equation, shapes and bias axes do not fit together.
EinsumShapes einsum_shapes(const std::string& equation, const std::optional<std::string>& bias_axes,
                           const Shape& input_shape, const Shape& output_shape);

}  // namespace antler
