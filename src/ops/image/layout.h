#pragma once

#include <functional>
#include <string>

#include "antler/core/tensor.h"

/// The layouts in which images come.
namespace antler::ops {

/// Throws ValueError naming `function` unless `images` has three or four dimensions, all known.
const Shape& checked_image(const char* function, const Tensor& images);
/// One image as a batch of one; `rank` is that of a batch.
Tensor as_batch(const Tensor& x, int rank);
/// `f` of the images as [n, height, width, channels], its result in the layout of the images.
/// Throws ValueError naming `function` for another rank or an unknown `data_format`.
Tensor with_channels_last(const char* function, const Tensor& images,
                          const std::string& data_format,
                          const std::function<Tensor(const Tensor&)>& f);
/// with_channels_last() of float images, whose result is brought back to the dtype of the images:
/// integers are rounded, and cut to what their dtype holds.
Tensor with_float_images(const char* function, const Tensor& images, const std::string& data_format,
                         const std::function<Tensor(const Tensor&)>& f);

}  // namespace antler::ops
