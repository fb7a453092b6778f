#include "antler/ops/elementwise.h"
#include "antler/ops/reduce.h"
#include "antler/ops/shape.h"
#include "nn/layers/preprocessing/image_support.h"

/// Colour spaces, by TensorFlow's formulas. Channels last.
namespace antler {

namespace {

Tensor channel(const Tensor& images, int64_t index) {
  return ops::squeeze(ops::slice_axis(images, -1, index, index + 1), -1);
}

void check_rgb(const Tensor& images) {
  if (images.dim(-1) == 3) return;
  throw ValueError("Expected images of three channels (RGB). Received: images.shape=" +
                   images.shape().str());
}

}  // namespace

Tensor to_grayscale(const Tensor& images) {
  check_rgb(images);
  const Tensor weights = ops::cast(Tensor::of<float>({0.2989F, 0.587F, 0.114F}), images.dtype());
  return ops::sum(images * weights, {-1}, true);
}

Tensor rgb_to_hsv(const Tensor& images) {
  check_rgb(images);
  const Tensor r = channel(images, 0);
  const Tensor g = channel(images, 1);
  const Tensor b = channel(images, 2);
  const Tensor value = ops::maximum(ops::maximum(r, g), b);
  const Tensor range = value - ops::minimum(ops::minimum(r, g), b);
  const Tensor saturation =
      ops::where(ops::greater(value, 0.0), ops::divide_no_nan(range, value), 0.0);
  const Tensor norm = ops::divide_no_nan(ops::ones_like(range), 6.0 * range);
  Tensor hue = ops::where(
      ops::equal(r, value), norm * (g - b),
      ops::where(ops::equal(g, value), norm * (b - r) + 2.0 / 6.0, norm * (r - g) + 4.0 / 6.0));
  hue = ops::where(ops::greater(range, 0.0), hue, 0.0);
  hue = ops::where(ops::less(hue, 0.0), hue + 1.0, hue);
  return ops::stack({hue, saturation, value}, -1);
}

Tensor hsv_to_rgb(const Tensor& images) {
  check_rgb(images);
  const Tensor sixths = channel(images, 0) * 6.0;
  const Tensor s = channel(images, 1);
  const Tensor v = channel(images, 2);
  const auto mixed = [&](const Tensor& part) {
    return ((1.0 - s) + s * ops::clip(part, 0.0, 1.0)) * v;
  };
  return ops::stack(
      {mixed(ops::absolute(sixths - 3.0) - 1.0), mixed(2.0 - ops::absolute(sixths - 2.0)),
       mixed(2.0 - ops::absolute(sixths - 4.0))},
      -1);
}

Tensor change_range(const Tensor& images, const std::vector<double>& from,
                    const std::vector<double>& to) {
  if (from == to) return images;
  return (images - from[0]) / (from[1] - from[0]) * (to[1] - to[0]) + to[0];
}

}  // namespace antler
