#include <cmath>

#include "antler/ops/elementwise.h"
#include "antler/ops/reduce.h"
#include "antler/ops/shape.h"
#include "nn/layers/preprocessing/image_support.h"

/// Sampling of images at computed places, as TensorFlow's projective transform.
namespace antler {

namespace {

/// A coordinate outside of [0, size - 1] brought inside; "constant" leaves it outside.
Tensor map_coordinate(const Tensor& x, int64_t size, const std::string& fill_mode) {
  const auto n = static_cast<double>(size);
  const auto inside = [&](const Tensor& c) { return ops::clip(c, 0.0, n - 1); };
  if (fill_mode == "constant") return x;
  if (fill_mode == "nearest") return inside(x);
  if (size <= 1) return ops::zeros_like(x);
  const Tensor below = ops::less(x, 0.0);
  if (fill_mode == "wrap") {
    const double period = n - 1;
    const Tensor up = x + n * (ops::trunc(-x / period) + 1.0);
    const Tensor down = x - n * ops::trunc(x / period);
    return inside(ops::where(below, up, ops::where(ops::greater(x, n - 1), down, x)));
  }
  // [abcd] stands in [dcba|abcd|dcba].
  const double period = 2 * n;
  Tensor up = period * ops::trunc(-x / period) + x;
  up = ops::where(ops::less(up, -n), up + period, -up - 1.0);
  Tensor down = x - period * ops::trunc(x / period);
  down = ops::where(ops::greater_equal(down, n), period - down - 1.0, down);
  return inside(ops::where(below, up, ops::where(ops::greater(x, n - 1), down, x)));
}

/// Halves away from zero, as C's round: also next to a half, where x + 0.5 would be rounded itself.
Tensor round_away(const Tensor& x) {
  const Tensor whole = ops::trunc(x);
  const Tensor away = ops::where(ops::less(x, 0.0), -1.0, 1.0);
  return whole + ops::where(ops::greater_equal(ops::absolute(x - whole), 0.5), away, 0.0);
}

/// Pixels at whole coordinates [batch, h, w], `fill_value` outside: [batch, h, w, channels].
Tensor read_pixels(const Tensor& images, const Tensor& x, const Tensor& y, double fill_value) {
  const int64_t batch = images.dim(0);
  const int64_t height = images.dim(1);
  const int64_t width = images.dim(2);
  const auto within = [](const Tensor& c, int64_t size) {
    return ops::logical_and(ops::greater_equal(c, 0.0),
                            ops::less_equal(c, static_cast<double>(size - 1)));
  };
  const auto index = [](const Tensor& c, int64_t size) {
    return ops::cast(ops::clip(c, 0.0, static_cast<double>(size - 1)), DType::int32);
  };
  const Tensor valid = ops::logical_and(within(x, width), within(y, height));
  const Tensor image = ops::iota(x.shape(), 0);
  const Tensor row =
      (image * static_cast<int>(height) + index(y, height)) * static_cast<int>(width) +
      index(x, width);
  const Tensor flat = ops::reshape(images, Shape{batch * height * width, images.dim(3)});
  const Tensor pixels = ops::take(flat, row);
  return ops::where(ops::expand_dims(valid, -1), pixels,
                    Tensor::full(images.dtype(), {}, fill_value));
}

}  // namespace

Tensor sample_at(const Tensor& images, const Tensor& given_x, const Tensor& given_y,
                 const Sampling& sampling) {
  const Tensor x = map_coordinate(given_x, images.dim(2), sampling.fill_mode);
  const Tensor y = map_coordinate(given_y, images.dim(1), sampling.fill_mode);
  if (sampling.interpolation == "nearest") {
    return read_pixels(images, round_away(x), round_away(y), sampling.fill_value);
  }
  const Tensor left = ops::floor(x);
  const Tensor top = ops::floor(y);
  const auto weight = [&](const Tensor& w) {
    return ops::cast(ops::expand_dims(w, -1), images.dtype());
  };
  const Tensor right_part = weight(x - left);
  const Tensor bottom_part = weight(y - top);
  const auto row = [&](const Tensor& at_y) {
    const Tensor a = read_pixels(images, left, at_y, sampling.fill_value);
    const Tensor b = read_pixels(images, left + 1.0, at_y, sampling.fill_value);
    return (1.0 - right_part) * a + right_part * b;
  };
  return (1.0 - bottom_part) * row(top) + bottom_part * row(top + 1.0);
}

Tensor project(const Tensor& images, const Projection& p, const Sampling& sampling) {
  const Shape grid{images.dim(0), images.dim(1), images.dim(2)};
  const Tensor x = ops::iota(grid, 2, DType::float32);
  const Tensor y = ops::iota(grid, 1, DType::float32);
  const auto per_image = [](const Tensor& t) {
    return t.rank() == 0 ? t : ops::reshape(ops::cast(t, DType::float32), Shape{-1, 1, 1});
  };
  const auto linear = [&](const Tensor& a, const Tensor& b, const Tensor& c) {
    return per_image(a) * x + per_image(b) * y + per_image(c);
  };
  const Tensor k = linear(p.c0, p.c1, 1.0);
  const Tensor in_x = linear(p.a0, p.a1, p.a2) / k;
  const Tensor in_y = linear(p.b0, p.b1, p.b2) / k;
  const Tensor sampled = sample_at(images, in_x, in_y, sampling);
  return ops::where(ops::expand_dims(ops::equal(k, 0.0), -1),
                    Tensor::full(images.dtype(), {}, sampling.fill_value), sampled);
}

Tensor project_boxes(const Tensor& boxes, const Projection& p) {
  const auto per_image = [](const Tensor& t) {
    return t.rank() == 0 ? t : ops::reshape(ops::cast(t, DType::float32), Shape{-1, 1, 1});
  };
  const Tensor a0 = per_image(p.a0), a1 = per_image(p.a1), a2 = per_image(p.a2);
  const Tensor b0 = per_image(p.b0), b1 = per_image(p.b1), b2 = per_image(p.b2);
  const Tensor c0 = per_image(p.c0), c1 = per_image(p.c1);
  // Boxes go from input to output, pixels are fetched the other way: the inverse by cofactors,
  // whose common factor falls out of the quotients.
  const auto x_at = [&](const Tensor& x, const Tensor& y) {
    return (b1 - b2 * c1) * x + (a2 * c1 - a1) * y + (a1 * b2 - a2 * b1);
  };
  const auto y_at = [&](const Tensor& x, const Tensor& y) {
    return (b2 * c0 - b0) * x + (a0 - a2 * c0) * y + (a2 * b0 - a0 * b2);
  };
  const auto k_at = [&](const Tensor& x, const Tensor& y) {
    return (b0 * c1 - b1 * c0) * x + (a1 * c0 - a0 * c1) * y + (a0 * b1 - a1 * b0);
  };
  const auto column = [&](int64_t i) { return ops::slice_axis(boxes, -1, i, i + 1); };
  const Tensor left = column(0), top = column(1), right = column(2), bottom = column(3);
  const auto corners = [&](const auto& f) {
    return ops::concatenate({f(left, top), f(right, top), f(left, bottom), f(right, bottom)}, -1);
  };
  const Tensor k = corners(k_at);
  const Tensor x = corners(x_at) / k;
  const Tensor y = corners(y_at) / k;
  return ops::concatenate({ops::min(x, {-1}, true), ops::min(y, {-1}, true),
                           ops::max(x, {-1}, true), ops::max(y, {-1}, true)},
                          -1);
}

}  // namespace antler
