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
  std::vector<int64_t> input_axes = {};   ///< axes of the kernel that only the input has
  std::vector<int64_t> output_axes = {};  ///< axes of the kernel that the output has
};
/// Throws ValueError if equation, shapes and bias axes do not match.
EinsumShapes einsum_shapes(const std::string& equation, const std::optional<std::string>& bias_axes,
                           const Shape& input_shape, const Shape& output_shape);

}  // namespace antler
