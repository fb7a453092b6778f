#include "antler/ops/image.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/image/layout.h"
#include "ops/recorded_call.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

void check_side(const char* function, const char* side, int64_t value) {
  if (value >= 0) return;
  throw ValueError("ops::{}: `{}` must not be negative. Received: {}", function, side, value);
}

/// Amounts before and after the elements of one dimension.
struct Sides {
  int64_t before;
  int64_t after;
};
Sides sides_of(const char* function, const char* const (&names)[2],
               const std::optional<int64_t>& before, const std::optional<int64_t>& after,
               const std::optional<int64_t>& total) {
  Sides sides{before.value_or(0), after.value_or(0)};
  if (total && !before) sides.before = *total - sides.after;
  if (total && !after) sides.after = *total - sides.before;
  check_side(function, names[0], sides.before);
  check_side(function, names[1], sides.after);
  return sides;
}

std::optional<int64_t> difference(const std::optional<int64_t>& a, int64_t b, int64_t sign) {
  if (!a) return {};
  return sign * (*a - b);
}

/// The configuration of the operation in Keras, with "top_cropping" or "top_padding". Keras needs
/// exactly two of the three numbers of each axis, so the sides that are not given become 0.
Json config_of(ImageSides sides, const std::string& what) {
  const auto complete = [](std::optional<int64_t>& before, std::optional<int64_t>& after,
                           const std::optional<int64_t>& target) {
    if (target) {
      if (!before && !after) after = 0;
      return;
    }
    before = before.value_or(0);
    after = after.value_or(0);
  };
  complete(sides.top, sides.bottom, sides.target_height);
  complete(sides.left, sides.right, sides.target_width);
  const auto number = [](const std::optional<int64_t>& n) { return n ? Json(*n) : Json(nullptr); };
  return {{"top_" + what, number(sides.top)},
          {"left_" + what, number(sides.left)},
          {"bottom_" + what, number(sides.bottom)},
          {"right_" + what, number(sides.right)},
          {"target_height", number(sides.target_height)},
          {"target_width", number(sides.target_width)},
          {"data_format", "channels_last"}};
}

}  // namespace

Tensor crop_images(const Tensor& images, const ImageSides& c) {
  if (has_unknown_size(images))
    return record_call("CropImages", images, config_of(c, "cropping"))[0];
  const Shape& shape = checked_image("crop_images", images);
  const int rows = shape.rank() - 3;
  const Sides vertical = sides_of("crop_images", {"top_cropping", "bottom_cropping"}, c.top,
                                  c.bottom, difference(c.target_height, shape[rows], -1));
  const Sides horizontal = sides_of("crop_images", {"left_cropping", "right_cropping"}, c.left,
                                    c.right, difference(c.target_width, shape[rows + 1], -1));
  const Tensor part = slice_axis(images, rows, vertical.before, shape[rows] - vertical.after);
  return slice_axis(part, rows + 1, horizontal.before, shape[rows + 1] - horizontal.after);
}

Tensor pad_images(const Tensor& images, const ImageSides& p) {
  if (has_unknown_size(images)) return record_call("PadImages", images, config_of(p, "padding"))[0];
  const Shape& shape = checked_image("pad_images", images);
  const int rows = shape.rank() - 3;
  const Sides vertical = sides_of("pad_images", {"top_padding", "bottom_padding"}, p.top, p.bottom,
                                  difference(p.target_height, shape[rows], 1));
  const Sides horizontal = sides_of("pad_images", {"left_padding", "right_padding"}, p.left,
                                    p.right, difference(p.target_width, shape[rows + 1], 1));
  std::vector<int64_t> low(static_cast<size_t>(shape.rank()), 0);
  std::vector<int64_t> high = low;
  const auto at = static_cast<size_t>(rows);
  low[at] = vertical.before;
  high[at] = vertical.after;
  low[at + 1] = horizontal.before;
  high[at + 1] = horizontal.after;
  return pad(images, low, high);
}

Tensor extract_patches(const Tensor& images, const NumberOrList& size,
                       const ExtractPatchesOptions& o) {
  if (size.size() == 3) return extract_patches_3d(images, size, o);
  if (size.empty() || size.size() > 2) {
    throw ValueError("ops::extract_patches: `size` must have one or two numbers. Received: size={}",
                     Shape(size));
  }
  if (has_unknown_size(images)) {
    // Keras takes a number or two, but no list of one.
    const auto numbers = [](const std::vector<int64_t>& list) {
      return list.size() == 1 ? Json(list[0]) : Json(list);
    };
    return record_call("ExtractPatches", images,
                       {{"size", numbers(size)},
                        {"strides", numbers(o.strides.empty() ? size : o.strides)},
                        {"dilation_rate", numbers(o.dilation_rate)},
                        {"padding", o.padding},
                        {"data_format", "channels_last"}})[0];
  }
  checked_image("extract_patches", images);
  const Tensor x = as_batch(images, 4);
  const int64_t count = size.front() * size.back() * x.dim(-1);
  // Each output channel selects one element of the patch.
  const Tensor kernel =
      reshape(eye(count, {}, 0, x.dtype()), {size.front(), size.back(), x.dim(-1), count});
  const std::vector<int64_t> steps = o.strides.empty() ? size : o.strides;
  const Tensor y = conv(x, kernel, conv_dims(x, kernel, steps, o.padding, o.dilation_rate));
  return images.rank() == 3 ? squeeze(y, 0) : y;
}

Tensor extract_patches_3d(const Tensor& volumes, const NumberOrList& size,
                          const ExtractPatchesOptions& o) {
  const Shape& shape = known_shape("extract_patches_3d", volumes);
  if ((size.size() != 1 && size.size() != 3) || (shape.rank() != 4 && shape.rank() != 5)) {
    throw ValueError(
        "ops::extract_patches_3d: expected volumes [n, depth, height, width, channels] and three "
        "sizes. Received: volumes.shape={}, size={}",
        shape, Shape(size));
  }
  const Tensor x = as_batch(volumes, 5);
  const NumberOrList sizes =
      size.size() == 1 ? NumberOrList(std::vector<int64_t>(3, size[0])) : size;
  const int64_t count = sizes[0] * sizes[1] * sizes[2] * x.dim(-1);
  const Tensor kernel =
      reshape(eye(count, {}, 0, x.dtype()), {sizes[0], sizes[1], sizes[2], x.dim(-1), count});
  const std::vector<int64_t> steps = o.strides.empty() ? sizes : o.strides;
  const Tensor y = conv(x, kernel, conv_dims(x, kernel, steps, o.padding, o.dilation_rate));
  return volumes.rank() == 4 ? squeeze(y, 0) : y;
}

Tensor sobel_edges(const Tensor& images) {
  const Tensor x = to_float("sobel_edges", images);
  if (known_shape("sobel_edges", x).rank() != 4) {
    throw ValueError(
        "ops::sobel_edges: expected images [n, height, width, channels]. Received: images.shape={}",
        x.shape());
  }
  const Tensor right =
      cast(Tensor::of(std::vector<float>{-1, 0, 1, -2, 0, 2, -1, 0, 1}, {3, 3, 1, 1}), x.dtype());
  const Shape kernel{3, 3, x.dim(-1), 1};
  const auto edges = [&](const Tensor& filter) {
    const Tensor k = broadcast_to(filter, kernel);
    return depthwise_conv(x, k, conv_dims(x, k, {1}, "same"));
  };
  return stack({edges(swapaxes(right, 0, 1)), edges(right)}, -1);
}

Tensor ssim(const Tensor& x, const Tensor& y, const SsimOptions& o) {
  checked_image("ssim", x);
  checked_image("ssim", y);
  const Tensor a = as_batch(to_float("ssim", x), 4);
  const Tensor b = as_batch(to_float("ssim", y), 4);
  std::vector<double> gaussian;
  double total = 0;
  for (int64_t i = 0; i < o.filter_size; ++i) {
    const double place = static_cast<double>(i) - static_cast<double>(o.filter_size - 1) / 2;
    gaussian.push_back(std::exp(-place * place / (2 * o.filter_sigma * o.filter_sigma)));
    total += gaussian.back();
  }
  std::vector<double> gaussian_2d;
  for (const double p : gaussian) {
    for (const double q : gaussian) gaussian_2d.push_back(p * q / (total * total));
  }
  const Tensor filter =
      cast(Tensor::of(gaussian_2d, {o.filter_size, o.filter_size, 1, 1}), a.dtype());
  const Tensor kernel = broadcast_to(filter, {o.filter_size, o.filter_size, a.dim(-1), 1});
  const auto local_mean = [&](const Tensor& z) { return depthwise_conv(z, kernel); };
  const double c1 = o.k1 * o.max_val * o.k1 * o.max_val;
  const double c2 = o.k2 * o.max_val * o.k2 * o.max_val;
  const Tensor mean_a = local_mean(a);
  const Tensor mean_b = local_mean(b);
  const Tensor means = multiply(mean_a, mean_b);
  const Tensor squares = add(square(mean_a), square(mean_b));
  const Tensor covariance = subtract(local_mean(multiply(a, b)), means);
  const Tensor variances = subtract(local_mean(add(square(a), square(b))), squares);
  const Tensor above = multiply(add(multiply(means, 2), c1), add(multiply(covariance, 2), c2));
  const Tensor map = divide(above, multiply(add(squares, c1), add(variances, c2)));
  const Tensor result = mean(map, {1, 2, 3});
  return x.rank() == 3 ? squeeze(result, 0) : result;
}

}  // namespace antler::ops
