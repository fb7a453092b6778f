#pragma once

#include <cstdint>
#include <string>

#include "antler/core/tensor.h"

namespace antler::utils {

/// An image uint8 [height, width, channels] resampled as Pillow does: rows first, each pass rounded
/// to 8 bits, and the kernel stretched where the image shrinks. Throws ValueError for an unknown
/// interpolation and a size below 1.
Tensor pillow_resize(const Tensor& image, int64_t height, int64_t width,
                     const std::string& interpolation);

}  // namespace antler::utils
