#pragma once

#include <cstdint>
#include <string>

#include "antler/nn/layers/reshaping.h"

/// Small things of convolutional networks.
namespace antler::applications {

/// Zeros that make a convolution of stride 2 without padding do what Keras's files were trained
/// with: TensorFlow's slim pads more at the end where the image is even (Keras's correct_pad()).
EdgeSizes correct_pad(const Tensor& x, int64_t kernel_size);

/// The nearest multiple of 8 above 0 that is not more than 10 % below `filters`.
int64_t multiple_of_8(double filters);

/// 1.0 -> "1.0", 0.35 -> "0.35": as Python writes a float.
std::string python_float(double value);

}  // namespace antler::applications
