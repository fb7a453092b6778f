#include "ops/image/layout.h"

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/support.h"

namespace antler::ops {

const Shape& checked_image(const char* function, const Tensor& images) {
  const Shape& shape = known_shape(function, images);
  if (shape.rank() == 3 || shape.rank() == 4) return shape;
  throw ValueError(
      "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received "
      "in ops::{}: images.shape={}",
      function, shape);
}

Tensor as_batch(const Tensor& x, int rank) { return x.rank() == rank - 1 ? expand_dims(x, 0) : x; }

Tensor with_channels_last(const char* function, const Tensor& images,
                          const std::string& data_format,
                          const std::function<Tensor(const Tensor&)>& f) {
  checked_image(function, images);
  const bool first = data_format == "channels_first";
  if (!first && data_format != "channels_last") {
    throw ValueError(
        "ops::{}: `data_format` must be 'channels_first' or 'channels_last'. Received: "
        "data_format={}",
        function, data_format);
  }
  const Tensor x = as_batch(images, 4);
  const Tensor y = first ? moveaxis(f(moveaxis(x, 1, -1)), -1, 1) : f(x);
  return images.rank() == 3 ? squeeze(y, 0) : y;
}

Tensor with_float_images(const char* function, const Tensor& images, const std::string& data_format,
                         const std::function<Tensor(const Tensor&)>& f) {
  Tensor y = with_channels_last(function, images, data_format,
                                [&](const Tensor& x) { return f(to_float(function, x)); });
  if (is_floating(images.dtype())) return y;
  return saturate_cast(round(y), images.dtype());
}

}  // namespace antler::ops
