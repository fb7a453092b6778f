#pragma once

#include <cstdint>
#include <string>

#include "antler/nn/layers/reshaping.h"

/// Helpers of convolutional networks.
namespace antler::applications {

/// Keras's correct_pad(): the padding before a convolution with stride 2 and padding "valid". The
/// weights come from TensorFlow-Slim, which pads less at the start if the image size is even.
EdgeSizes correct_pad(const Tensor& x, int64_t kernel_size);

/// The nearest positive multiple of 8 that is at least 90 % of `filters`.
int64_t multiple_of_8(double filters);

/// Formats like Python: 1.0 -> "1.0", 0.35 -> "0.35".
std::string python_float(double value);

}  // namespace antler::applications
