#pragma once

#include <cstdint>
#include <string>

#include "antler/core/tensor.h"

/// Resampling along one axis, as a product with a matrix of weights.
namespace antler::ops {

/// Throws ValueError for an interpolation that resize_axis() does not know.
void check_resize_interpolation(const std::string& interpolation, const std::string& function);

/// Resizes an axis to `size`, like TensorFlow's image.resize. Each element is a weighted mean of
/// nearby elements; the center of element i is at i + 1/2. `interpolation` and `antialias` as in
/// ResizeOptions. Computed in at least float32; the result has the dtype of x.
Tensor resize_axis(const Tensor& x, int axis, int64_t size, const std::string& interpolation,
                   bool antialias);

/// A crop box, in pixels.
struct ImagePart {
  int64_t top, left, height, width;
};
/// The largest centered crop of images [n, height, width, channels] with the aspect ratio of
/// (height, width).
ImagePart centered_part(const Tensor& images, int64_t height, int64_t width);
Tensor cut_part(const Tensor& images, const ImagePart& part);

}  // namespace antler::ops
