#pragma once

#include <functional>
#include <string>

#include "antler/core/tensor.h"

/// Layouts of images.
namespace antler::ops {

/// The shape of `images`. Throws ValueError unless it has three or four dimensions, all known.
const Shape& checked_image(const char* function, const Tensor& images);
/// Adds a batch dimension unless `x` already has `rank` dimensions.
Tensor as_batch(const Tensor& x, int rank);
/// Calls `f` with [n, height, width, channels] and returns its result in the layout of `images`.
/// Throws ValueError for another rank or an unknown `data_format`.
Tensor with_channels_last(const char* function, const Tensor& images,
                          const std::string& data_format,
                          const std::function<Tensor(const Tensor&)>& f);
/// with_channels_last() for float images. Converts the result back to the dtype of `images`;
/// integers are rounded and saturated.
Tensor with_float_images(const char* function, const Tensor& images, const std::string& data_format,
                         const std::function<Tensor(const Tensor&)>& f);

}  // namespace antler::ops
