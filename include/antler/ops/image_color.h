#pragma once

#include <string>

#include "antler/core/tensor.h"

/// keras.ops.image: colour spaces. Images [n, height, width, channels] or one image, or
/// [n, channels, height, width] with `data_format` "channels_first". ValueErrors name function and
/// shape.
namespace antler::ops {

/// ITU-R 601-2 luma, one channel, in the dtype of the images. Images of one channel stay as they
/// are.
Tensor rgb_to_grayscale(const Tensor& images, const std::string& data_format = "channels_last");
/// Hue, saturation and value, each in [0, 1] for values in [0, 1]. Floats only.
Tensor rgb_to_hsv(const Tensor& images, const std::string& data_format = "channels_last");
/// The inverse; a hue outside of [0, 1] goes round.
Tensor hsv_to_rgb(const Tensor& images, const std::string& data_format = "channels_last");

}  // namespace antler::ops
