#include "ops/image/resample.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/image.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/image/layout.h"
#include "ops/image/resample_kernels.h"
#include "ops/recorded_call.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

struct ResizeKernel {
  const char* name;
  double radius;
  double (*weight)(const double& x);
};

constexpr ResizeKernel kResizeKernels[] = {
    {"bilinear", 1, resample_kernels::triangle<double>},
    {"bicubic", 2, resample_kernels::keys_cubic<double>},
    {"lanczos3", 3, resample_kernels::lanczos<3, double>},
    {"lanczos5", 5, resample_kernels::lanczos<5, double>},
    {"gaussian", 1.5, [](const double& x) { return std::exp(-2 * x * x); }},
    // Mitchell and Netravali (1988) with B = C = 1/3.
    {"mitchellcubic", 2,
     [](const double& x) {
       return x < 1 ? ((7 * x - 12) * x * x + 16.0 / 3) / 6
                    : (((-7.0 / 3 * x + 12) * x - 20) * x + 32.0 / 3) / 6;
     }},
};

/// Weights [out, in]; each row sums to 1.
std::vector<float> kernel_weights(const ResizeKernel& kernel, int64_t in, int64_t out,
                                  bool antialias) {
  std::vector<float> weights(static_cast<size_t>(in * out), 0.0F);
  const double step = static_cast<double>(in) / static_cast<double>(out);
  const double width = antialias ? std::max(step, 1.0) : 1.0;
  // TensorFlow's cubic weights come from a table with this resolution.
  constexpr double kTableSteps = 1024;
  const bool table = std::string_view(kernel.name) == "bicubic" && !antialias;
  std::vector<double> row(static_cast<size_t>(in));
  for (int64_t o = 0; o < out; ++o) {
    double center = (static_cast<double>(o) + 0.5) * step;
    if (table) {
      const double under = std::floor(center - 0.5);
      center = under + std::nearbyint((center - 0.5 - under) * kTableSteps) / kTableSteps + 0.5;
    }
    const double reach = kernel.radius * width;
    const int64_t first = std::max<int64_t>(static_cast<int64_t>(std::floor(center - reach)), 0);
    const int64_t last = std::min<int64_t>(static_cast<int64_t>(std::ceil(center + reach)), in - 1);
    double total = 0;
    for (int64_t i = first; i <= last; ++i) {
      const double distance = std::abs(static_cast<double>(i) + 0.5 - center) / width;
      row[static_cast<size_t>(i)] = distance < kernel.radius ? kernel.weight(distance) : 0;
      total += row[static_cast<size_t>(i)];
    }
    if (std::abs(total) < 1e-10) continue;
    for (int64_t i = first; i <= last; ++i) {
      weights[static_cast<size_t>(o * in + i)] =
          static_cast<float>(row[static_cast<size_t>(i)] / total);
    }
  }
  return weights;
}

/// Weights [out, in] of the two nearest elements, computed in float as in TensorFlow: integer
/// images are rounded, and ties depend on the last bit.
std::vector<float> linear_weights(int64_t in, int64_t out) {
  std::vector<float> weights(static_cast<size_t>(in * out), 0.0F);
  const float step = static_cast<float>(in) / static_cast<float>(out);
  for (int64_t o = 0; o < out; ++o) {
    const float place = (static_cast<float>(o) + 0.5F) * step - 0.5F;
    const float part = place - std::floor(place);
    const auto low = std::max<int64_t>(static_cast<int64_t>(std::floor(place)), 0);
    const auto high = std::min<int64_t>(static_cast<int64_t>(std::ceil(place)), in - 1);
    weights[static_cast<size_t>(o * in + low)] = 1 - part;
    weights[static_cast<size_t>(o * in + high)] = low == high ? 1 : part;
  }
  return weights;
}

/// Weights [out, in] of means over equal intervals.
std::vector<float> area_weights(int64_t in, int64_t out) {
  std::vector<float> weights(static_cast<size_t>(in * out), 0.0F);
  const double step = static_cast<double>(in) / static_cast<double>(out);
  for (int64_t o = 0; o < out; ++o) {
    const double low = static_cast<double>(o) * step;
    for (int64_t i = 0; i < in; ++i) {
      const auto at = static_cast<double>(i);
      const double overlap = std::min(at + 1, low + step) - std::max(at, low);
      if (overlap > 0)
        weights[static_cast<size_t>(o * in + i)] = static_cast<float>(overlap / step);
    }
  }
  return weights;
}

/// Weights [out, in], computed in float as in TensorFlow.
std::vector<float> nearest_weights(int64_t in, int64_t out) {
  std::vector<float> weights(static_cast<size_t>(in * out), 0.0F);
  const float step = static_cast<float>(in) / static_cast<float>(out);
  for (int64_t o = 0; o < out; ++o) {
    const auto i = static_cast<int64_t>(std::floor((static_cast<float>(o) + 0.5F) * step));
    weights[static_cast<size_t>(o * in + std::clamp<int64_t>(i, 0, in - 1))] = 1;
  }
  return weights;
}

/// Multiplies an axis by `weights` [out, in].
Tensor mix_axis(const Tensor& x, int axis, const Tensor& weights) {
  int64_t outer = 1;
  int64_t inner = 1;
  Shape shape = x.shape();
  for (int i = 0; i < shape.rank(); ++i) {
    if (i < axis) outer *= shape[i];
    if (i > axis) inner *= shape[i];
  }
  const Tensor y = matmul(weights, reshape(x, {outer, shape[axis], inner}));
  shape[axis] = weights.dim(0);
  return reshape(y, shape);
}

/// Weights as functions of tensors, for scale_and_translate().
struct StretchKernel {
  std::initializer_list<std::string_view> names;
  Tensor (*weight)(const Tensor& x);
};
const StretchKernel kStretchKernels[] = {
    {{"linear", "bilinear", "trilinear", "triangle"}, resample_kernels::triangle<Tensor>},
    {{"cubic", "bicubic", "tricubic"}, resample_kernels::keys_cubic<Tensor>},
    {{"lanczos3"}, resample_kernels::lanczos<3, Tensor>},
    {{"lanczos5"}, resample_kernels::lanczos<5, Tensor>},
};

const StretchKernel& stretch_kernel(const std::string& method) {
  for (const StretchKernel& kernel : kStretchKernels) {
    if (std::find(kernel.names.begin(), kernel.names.end(), method) != kernel.names.end()) {
      return kernel;
    }
  }
  throw ValueError(
      "ops::scale_and_translate: `method` must be 'linear', 'cubic', 'lanczos3' or 'lanczos5'. "
      "Received: method={}",
      method);
}

/// Weights [out, in] for an axis scaled by `scale` and shifted by `translation`, both scalars.
Tensor stretch_weights(const StretchKernel& kernel, int64_t in, int64_t out, const Tensor& scale,
                       const Tensor& translation, bool antialias) {
  const Tensor step = 1.0 / scale;
  const Tensor place = (iota({out, 1}, 0, DType::float32) + 0.5) * step - translation * step - 0.5;
  Tensor distance = absolute(place - iota({1, in}, 1, DType::float32));
  if (antialias) distance = distance / maximum(step, 1.0);
  const Tensor weights = kernel.weight(distance);
  const Tensor total = sum(weights, {1}, {.keepdims = true});
  const Tensor used = logical_and(
      greater(absolute(total), 1.2e-4),
      logical_and(greater_equal(place, -0.5), less_equal(place, static_cast<double>(in) - 0.5)));
  return where(used, weights / where(equal(total, 0.0), 1.0, total), 0.0);
}

/// The size whose ratio to `other` is target / other_target.
int64_t side_in_ratio(int64_t other, int64_t target, int64_t other_target) {
  return static_cast<int64_t>(static_cast<float>(other * target) /
                              static_cast<float>(other_target));
}

Tensor pad_to_ratio(const Tensor& images, int64_t height, int64_t width, double fill_value) {
  const int64_t in_height = images.dim(1);
  const int64_t in_width = images.dim(2);
  const int64_t more_rows =
      std::max<int64_t>(side_in_ratio(in_width, height, width) - in_height, 0);
  const int64_t more_columns =
      std::max<int64_t>(side_in_ratio(in_height, width, height) - in_width, 0);
  const int64_t top = more_rows / 2;
  const int64_t left = top > 0 ? 0 : more_columns / 2;
  return pad(images, {0, top, left, 0}, {0, top, left, 0}, {}, scalar(fill_value, images.dtype()));
}

}  // namespace

void check_resize_interpolation(const std::string& interpolation, const std::string& function) {
  std::string names = "'nearest', 'area'";
  if (interpolation == "nearest" || interpolation == "area") return;
  for (const ResizeKernel& kernel : kResizeKernels) {
    if (interpolation == kernel.name) return;
    names += ", '" + std::string(kernel.name) + "'";
  }
  throw ValueError("{}: the `interpolation` argument must be one of {}. Received: interpolation={}",
                   function, names, interpolation);
}

Tensor resize_axis(const Tensor& x, int axis, int64_t size, const std::string& interpolation,
                   bool antialias) {
  const int64_t in = x.shape()[axis];
  std::vector<float> weights;
  if (interpolation == "area") weights = area_weights(in, size);
  if (interpolation == "nearest") weights = nearest_weights(in, size);
  const bool linear = interpolation == "bilinear" && !antialias;
  if (linear) weights = linear_weights(in, size);
  for (const ResizeKernel& kernel : kResizeKernels) {
    if (interpolation == kernel.name && !linear) {
      weights = kernel_weights(kernel, in, size, antialias);
    }
  }
  const DType dtype = promote_types(x.dtype(), DType::float32);
  const Tensor matrix = cast(Tensor::of(weights, {size, in}), dtype);
  return cast(mix_axis(cast(x, dtype), axis, matrix), x.dtype());
}

ImagePart centered_part(const Tensor& images, int64_t height, int64_t width) {
  const int64_t in_height = images.dim(1);
  const int64_t in_width = images.dim(2);
  const auto part_height =
      std::clamp<int64_t>(side_in_ratio(in_width, height, width), 1, in_height);
  const auto part_width = std::clamp<int64_t>(side_in_ratio(in_height, width, height), 1, in_width);
  return {.top = (in_height - part_height) / 2,
          .left = (in_width - part_width) / 2,
          .height = part_height,
          .width = part_width};
}

Tensor cut_part(const Tensor& images, const ImagePart& part) {
  return slice_axis(slice_axis(images, 1, part.top, part.top + part.height), 2, part.left,
                    part.left + part.width);
}

Tensor resize(const Tensor& images, std::pair<int64_t, int64_t> size, const ResizeOptions& o) {
  const int64_t height = size.first;
  const int64_t width = size.second;
  check_resize_interpolation(o.interpolation, "ops::resize");
  if (height <= 0 || width <= 0) {
    throw ValueError(
        "ops::resize: `size` must have positive height and width. Received: size=({}, {})", height,
        width);
  }
  if (o.fill_mode != "constant") {
    throw ValueError(
        "Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: "
        "fill_mode={}",
        o.fill_mode);
  }
  if (o.crop_to_aspect_ratio && o.pad_to_aspect_ratio) {
    throw ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.");
  }
  if (has_unknown_size(images)) {
    return record_call("Resize", images,
                       {{"size", {height, width}},
                        {"interpolation", o.interpolation},
                        {"antialias", o.antialias},
                        {"crop_to_aspect_ratio", o.crop_to_aspect_ratio},
                        {"pad_to_aspect_ratio", o.pad_to_aspect_ratio},
                        {"fill_mode", o.fill_mode},
                        {"fill_value", o.fill_value},
                        {"data_format", o.data_format}})[0];
  }
  return with_float_images("resize", images, o.data_format, [&](Tensor x) {
    if (x.dim(1) == 0 || x.dim(2) == 0) {
      throw ValueError(
          "ops::resize: an image must have at least one row and one column. Received: "
          "images.shape={}",
          images.shape());
    }
    if (o.crop_to_aspect_ratio) x = cut_part(x, centered_part(x, height, width));
    if (o.pad_to_aspect_ratio) x = pad_to_ratio(x, height, width, o.fill_value);
    if (x.dim(1) != height) x = resize_axis(x, 1, height, o.interpolation, o.antialias);
    if (x.dim(2) != width) x = resize_axis(x, 2, width, o.interpolation, o.antialias);
    return x;
  });
}

Tensor scale_and_translate(const Tensor& x, const Shape& output_shape, const Tensor& scale,
                           const Tensor& translation, const std::vector<int64_t>& spatial_dims,
                           const std::string& method, ScaleAndTranslateOptions options) {
  const Shape& shape = known_shape("scale_and_translate", x);
  const auto count = static_cast<int64_t>(spatial_dims.size());
  const Tensor by = to_float("scale_and_translate", scale);
  const Tensor shift = to_float("scale_and_translate", translation);
  if (by.shape() != Shape{count} || shift.shape() != Shape{count} ||
      output_shape.rank() != shape.rank()) {
    throw ValueError(
        "ops::scale_and_translate: expected one scale and one translation per spatial dimension, "
        "and an `output_shape` with the rank of the images. Received: images.shape={}, "
        "output_shape={}, scale.shape={}, translation.shape={}, {} spatial dimensions",
        shape, output_shape, by.shape(), shift.shape(), count);
  }
  const StretchKernel& kernel = stretch_kernel(method);
  Tensor y = to_float("scale_and_translate", x);
  for (int64_t i = 0; i < count; ++i) {
    const int axis = normalize_axis_of("scale_and_translate", spatial_dims[static_cast<size_t>(i)],
                                       shape.rank());
    const auto one = [&](const Tensor& t) {
      return cast(reshape(slice_axis(t, 0, i, i + 1), {}),
                  promote_types(t.dtype(), DType::float32));
    };
    const Tensor weights = stretch_weights(kernel, shape[axis], output_shape[axis], one(by),
                                           one(shift), options.antialias);
    y = mix_axis(y, axis, cast(weights, y.dtype()));
  }
  if (y.shape() != output_shape) {
    throw ValueError(
        "ops::scale_and_translate: dimensions that are not in `spatial_dims` must keep their "
        "sizes. Received: images.shape={}, output_shape={}",
        shape, output_shape);
  }
  return cast(y, x.dtype());
}

}  // namespace antler::ops
