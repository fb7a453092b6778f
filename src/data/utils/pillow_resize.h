#pragma once

#include <cstdint>
#include <string>

#include "antler/core/tensor.h"

namespace antler::utils {

/// A part of an image.
struct Box {
  int64_t top = 0;
  int64_t left = 0;
  int64_t height = 0;
  int64_t width = 0;
};

/// Resizes a part of a uint8 image [height, width, channels] as in Pillow: rows first, results of
/// each pass rounded to 8 bits, and the kernel stretched if the image shrinks. Kernels also use
/// pixels outside the part. Throws ValueError for an unknown interpolation and a size below 1.
Tensor pillow_resize(const Tensor& image, const Box& box, int64_t height, int64_t width,
                     const std::string& interpolation);

}  // namespace antler::utils
