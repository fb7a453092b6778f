#include "antler/nn/smart_resize.h"

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/image.h"

namespace antler::utils {

Tensor smart_resize(const Tensor& x, std::pair<int64_t, int64_t> size,
                    const std::string& interpolation, const std::string& data_format) {
  if (x.rank() != 3 && x.rank() != 4) {
    throw ValueError(
        "Expected an image array with shape `(height, width, channels)`, or `(batch_size, height, "
        "width, channels)`, but got input with incorrect rank, of shape {}.",
        x.shape());
  }
  const Tensor y = ops::resize(
      ops::cast(x, DType::float32), size,
      {.interpolation = interpolation, .crop_to_aspect_ratio = true, .data_format = data_format});
  return interpolation == "nearest" ? ops::cast(y, x.dtype()) : y;
}

}  // namespace antler::utils
