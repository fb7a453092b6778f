#pragma once

#include <cstdint>
#include <string>

#include "antler/core/tensor.h"

namespace antler {

/// Throws ValueError naming `layer` unless it is "nearest", "bilinear", "bicubic", "lanczos3",
/// "lanczos5", "area", "gaussian" or "mitchellcubic".
void check_interpolation(const std::string& interpolation, const std::string& layer);

/// `x` with `size` elements along an axis, each a weighted mean of the elements near it; element i
/// is centred at i + 1/2. `antialias` widens the mean where elements become fewer. In float32 at
/// least, the result has x's dtype. (TensorFlow's image.resize.)
Tensor resize_axis(const Tensor& x, int axis, int64_t size, const std::string& interpolation,
                   bool antialias);

}  // namespace antler
