#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "antler/core/tensor.h"

namespace antler::utils {

/// Resizes images [height, width, channels], or a batch of them, to (height, width) without
/// distortion: resizes the largest centered crop with the aspect ratio of `size`
/// (keras.preprocessing.image.smart_resize). Returns float32, or with "nearest" the dtype of `x`.
/// Throws ValueError for another rank, and what ops::resize() throws.
Tensor smart_resize(const Tensor& x, std::pair<int64_t, int64_t> size,
                    const std::string& interpolation = "bilinear",
                    const std::string& data_format = "channels_last");

}  // namespace antler::utils
