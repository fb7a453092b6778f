#include <algorithm>
#include <cmath>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/image.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/random.h"
#include "ops/image/layout.h"
#include "ops/image/sampling.h"
#include "ops/support.h"

/// Geometric transformations and blurs of images.
namespace antler::ops {
namespace {

/// A normalized Gaussian of `size` values; `sigma` is a scalar. Values further than `reach`, if
/// given, from the middle are zero.
Tensor gaussian_weights(int64_t size, const Tensor& sigma, const Tensor& reach = {}) {
  const Tensor x = iota({size}, 0, DType::float32) - static_cast<double>(size - 1) / 2.0;
  Tensor weights = exp(-0.5 * square(x / sigma));
  if (reach.defined()) weights = where(abs(x) <= reach, weights, 0.0F);
  return weights / sum(weights);
}

/// Blurs images [n, height, width, channels] with a Gaussian of `rows` x `columns` pixels.
Tensor blurred(const Tensor& images, int64_t rows, int64_t columns, const Tensor& down,
               const Tensor& across, const Tensor& reach = {}) {
  const int64_t batch = images.dim(0);
  const int64_t height = images.dim(1);
  const int64_t width = images.dim(2);
  const int64_t channels = images.dim(3);
  Tensor x = reshape(transpose(images, {0, 3, 1, 2}), Shape{batch * channels, height, width, 1});
  const auto kernel = [&](int64_t size, const Tensor& sigma, const Shape& shape) {
    return cast(reshape(gaussian_weights(size, sigma, reach), shape), images.dtype());
  };
  x = conv(x, kernel(rows, down, {rows, 1, 1, 1}),
           {.pad_low = {(rows - 1) / 2, 0}, .pad_high = {rows / 2, 0}});
  x = conv(x, kernel(columns, across, {1, columns, 1, 1}),
           {.pad_low = {0, (columns - 1) / 2}, .pad_high = {0, columns / 2}});
  return transpose(reshape(x, Shape{batch, channels, height, width}), {0, 2, 3, 1});
}

/// Smooths the noise of elastic_transform(), images [n, height, width, 2].
Tensor smoothed(const Tensor& noise, const ElasticTransformOptions& o) {
  if (o.window > 0) return blurred(noise, o.window, o.window, o.sigma, o.sigma);
  if (!o.sigma.is_value()) {
    // Pixels further away are not in the image.
    const int64_t largest = 2 * std::max(noise.dim(1), noise.dim(2)) - 1;
    return blurred(noise, largest, largest, o.sigma, o.sigma, floor(o.sigma) * 3.0);
  }
  const double sigma = o.sigma.item();
  if (!(sigma > 0)) {
    throw ValueError("ops::elastic_transform: `sigma` must be positive. Received: sigma={}", sigma);
  }
  const int64_t window = 6 * static_cast<int64_t>(sigma) + 1;
  return blurred(noise, window, window, o.sigma, o.sigma);
}

}  // namespace

Tensor affine_transform(const Tensor& images, const Tensor& transform,
                        const AffineTransformOptions& o) {
  const Sampling sampling{
      .interpolation = o.interpolation, .fill_mode = o.fill_mode, .fill_value = o.fill_value};
  check_sampling("ops::affine_transform", sampling);
  const Shape& shape = known_shape("affine_transform", transform);
  if ((shape.rank() != 1 && shape.rank() != 2) || shape[shape.rank() - 1] != 8) {
    throw ValueError(
        "Invalid transform: expected 8 numbers, or 8 for each image. Received in "
        "ops::affine_transform: transform.shape={}",
        shape);
  }
  const std::vector<Tensor> t = unstack(as_batch(transform, 2), 1);
  const Projection projection{.a0 = t[0],
                              .a1 = t[1],
                              .a2 = t[2],
                              .b0 = t[3],
                              .b1 = t[4],
                              .b2 = t[5],
                              .c0 = t[6],
                              .c1 = t[7]};
  return with_float_images("affine_transform", images, o.data_format,
                           [&](const Tensor& x) { return project(x, projection, sampling); });
}

Tensor perspective_transform(const Tensor& images, const Tensor& start_points,
                             const Tensor& end_points, const PerspectiveTransformOptions& o) {
  const Sampling sampling{
      .interpolation = o.interpolation, .fill_mode = "constant", .fill_value = o.fill_value};
  check_sampling("ops::perspective_transform", sampling);
  const Shape& start = known_shape("perspective_transform", start_points);
  const Shape& end = known_shape("perspective_transform", end_points);
  const int rank = start.rank();
  if (start != end || (rank != 2 && rank != 3) || start[rank - 2] != 4 || start[rank - 1] != 2) {
    throw ValueError(
        "Invalid points: expected (4, 2) for a single image or (N, 4, 2) for a batch, twice. "
        "Received in ops::perspective_transform: start_points.shape={}, end_points.shape={}",
        start, end);
  }
  const auto points = [](const Tensor& p) {
    return cast(as_batch(p, 3), promote_types(p.dtype(), DType::float32));
  };
  const Projection projection = projection_between(points(start_points), points(end_points));
  return with_float_images("perspective_transform", images, o.data_format,
                           [&](const Tensor& x) { return project(x, projection, sampling); });
}

Tensor gaussian_blur(const Tensor& images, const GaussianBlurOptions& o) {
  const auto [columns, rows] = o.kernel_size;
  if (columns < 1 || rows < 1) {
    throw ValueError(
        "ops::gaussian_blur: `kernel_size` must be positive. Received: kernel_size=({}, {})",
        columns, rows);
  }
  return with_float_images("gaussian_blur", images, o.data_format, [&](const Tensor& x) {
    return blurred(x, o.kernel_size[1], o.kernel_size[0], o.sigma[1], o.sigma[0]);
  });
}

Tensor elastic_transform(const Tensor& images, const Tensor& seed,
                         const ElasticTransformOptions& o) {
  const Sampling sampling{
      .interpolation = o.interpolation, .fill_mode = o.fill_mode, .fill_value = o.fill_value};
  check_sampling("ops::elastic_transform", sampling);
  return with_float_images("elastic_transform", images, o.data_format, [&](const Tensor& x) {
    const Shape grid{x.dim(0), x.dim(1), x.dim(2)};
    // Both displacement fields, as channels.
    const Tensor noise =
        random_normal(seed, {grid[0], grid[1], grid[2], 2}, 0, 1, DType::float32) * o.sigma;
    const std::vector<Tensor> field = unstack(smoothed(noise, o) * o.alpha, -1);
    return sample_at(x, iota(grid, 2, DType::float32) + field[0],
                     iota(grid, 1, DType::float32) + field[1], sampling);
  });
}

}  // namespace antler::ops
