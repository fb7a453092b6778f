#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "antler/core/tensor.h"

namespace antler::utils {

/// Images [height, width, channels], or a batch of them, resized to (height, width) without being
/// distorted: the largest part in the middle that has the aspect ratio of `size` is cut out and
/// resized (keras.preprocessing.image.smart_resize). Gives float32, and with "nearest" the
/// dtype of `x`. Throws ValueError for another
/// rank and what ops::resize() throws.
Tensor smart_resize(const Tensor& x, std::pair<int64_t, int64_t> size,
                    const std::string& interpolation = "bilinear",
                    const std::string& data_format = "channels_last");

}  // namespace antler::utils
