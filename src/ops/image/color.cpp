#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/image.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/image/layout.h"
#include "ops/recorded_call.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

void require_channels(const char* function, const Tensor& images) {
  if (images.dim(-1) == 3) return;
  throw ValueError("Invalid channel size: expected 3 (RGB). Received in ops::{}: images.shape={}",
                   function, images.shape());
}

/// Applies `f` to the three channels, [n, height, width] each; `f` returns three channels.
template <class F>
Tensor by_channels(const char* function, const Tensor& images, const std::string& data_format,
                   const F& f) {
  require_defined(function, images);
  if (!is_floating(images.dtype())) {
    throw ValueError(
        "Invalid images dtype: expected float dtype. Received in ops::{}: images.dtype={}",
        function, dtype_name(images.dtype()));
  }
  return with_channels_last(function, images, data_format, [&](const Tensor& x) {
    require_channels(function, x);
    const std::vector<Tensor> channels = unstack(x, -1);
    return stack(f(channels[0], channels[1], channels[2]), -1);
  });
}

}  // namespace

Tensor rgb_to_grayscale(const Tensor& images, const std::string& data_format) {
  if (has_unknown_size(images))
    return record_call("RGBToGrayscale", images, {{"data_format", data_format}})[0];
  const auto gray = [](const Tensor& x) {
    if (x.dim(-1) == 1) return x;
    require_channels("rgb_to_grayscale", x);
    const Tensor y = to_float("rgb_to_grayscale", x);
    const Tensor weights = cast(Tensor::of<float>({0.2989F, 0.587F, 0.114F}), y.dtype());
    return cast(sum(y * weights, {-1}, {.keepdims = true}), x.dtype());
  };
  return with_channels_last("rgb_to_grayscale", images, data_format, gray);
}

Tensor rgb_to_hsv(const Tensor& images, const std::string& data_format) {
  if (has_unknown_size(images))
    return record_call("RGBToHSV", images, {{"data_format", data_format}})[0];
  return by_channels(
      "rgb_to_hsv", images, data_format, [](const Tensor& r, const Tensor& g, const Tensor& b) {
        const Tensor value = maximum(maximum(r, g), b);
        const Tensor range = value - minimum(minimum(r, g), b);
        const Tensor saturation = where(greater(value, 0.0), divide_no_nan(range, value), 0.0);
        const Tensor norm = divide_no_nan(ones_like(range), 6.0 * range);
        Tensor hue =
            where(equal(r, value), norm * (g - b),
                  where(equal(g, value), norm * (b - r) + 2.0 / 6.0, norm * (r - g) + 4.0 / 6.0));
        hue = where(greater(range, 0.0), hue, 0.0);
        hue = where(less(hue, 0.0), hue + 1.0, hue);
        return std::vector<Tensor>{hue, saturation, value};
      });
}

Tensor hsv_to_rgb(const Tensor& images, const std::string& data_format) {
  if (has_unknown_size(images))
    return record_call("HSVToRGB", images, {{"data_format", data_format}})[0];
  return by_channels("hsv_to_rgb", images, data_format,
                     [](const Tensor& h, const Tensor& s, const Tensor& v) {
                       const Tensor sixths = (h - floor(h)) * 6.0;
                       const auto mixed = [&](const Tensor& part) {
                         return ((1.0 - s) + s * clip(part, 0.0, 1.0)) * v;
                       };
                       return std::vector<Tensor>{mixed(absolute(sixths - 3.0) - 1.0),
                                                  mixed(2.0 - absolute(sixths - 2.0)),
                                                  mixed(2.0 - absolute(sixths - 4.0))};
                     });
}

}  // namespace antler::ops
