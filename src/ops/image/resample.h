#pragma once

#include <cstdint>
#include <string>

#include "antler/core/tensor.h"

/// Resampling along one axis is a product with a matrix of weights.
namespace antler::ops {

/// Throws ValueError naming `function` unless resize_axis() knows it.
void check_resize_interpolation(const std::string& interpolation, const std::string& function);

/// `x` with `size` elements along an axis, each a weighted mean of the elements near it; element i
/// is centred at i + 1/2. `antialias` widens the mean where elements become fewer. `interpolation`
/// is one of ResizeOptions'. In float32 at least, the result has x's dtype. (TensorFlow's
/// image.resize.)
Tensor resize_axis(const Tensor& x, int axis, int64_t size, const std::string& interpolation,
                   bool antialias);

/// A part of images, in pixels.
struct ImagePart {
  int64_t top, left, height, width;
};
/// The largest part in the middle of images [n, height, width, channels] that has the aspect ratio
/// of (height, width).
ImagePart centred_part(const Tensor& images, int64_t height, int64_t width);
/// That part of images.
Tensor cut_part(const Tensor& images, const ImagePart& part);

}  // namespace antler::ops
