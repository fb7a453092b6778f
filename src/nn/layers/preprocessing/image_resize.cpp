#include <algorithm>
#include <cmath>
#include <numbers>

#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/shape.h"
#include "nn/layers/preprocessing/image_support.h"

/// Resampling is two products with fixed matrices, one per axis.
namespace antler {

namespace {

struct Kernel {
  double radius;
  double (*weight)(double distance);
};

double triangle(double x) { return std::max(0.0, 1 - x); }
double keys_cubic(double x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : ((1.5 * x - 2.5) * x) * x + 1;
}
template <int radius>
double lanczos(double x) {
  constexpr double kPi = std::numbers::pi;
  if (x > radius) return 0;
  if (x <= 1e-3) return 1;
  return radius * std::sin(kPi * x) * std::sin(kPi * x / radius) / (kPi * kPi * x * x);
}

Kernel kernel_of(const std::string& interpolation) {
  if (interpolation == "bilinear") return {1, triangle};
  if (interpolation == "bicubic") return {2, keys_cubic};
  if (interpolation == "lanczos3") return {3, lanczos<3>};
  if (interpolation == "lanczos5") return {5, lanczos<5>};
  throw ValueError(
      "Invalid value for argument `interpolation`. Expected of one ('bilinear', 'nearest', "
      "'lanczos3', 'lanczos5', 'bicubic', 'area'). Received: interpolation=" +
      interpolation);
}

/// Weights of the `in` values in each of the `out` values, row-major [out, in].
std::vector<float> weights_of(int64_t in, int64_t out, const std::string& interpolation,
                              bool antialias) {
  std::vector<float> matrix(static_cast<size_t>(in * out), 0.0F);
  const auto row = [&](int64_t o) { return matrix.begin() + o * in; };
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  if (interpolation == "nearest") {
    for (int64_t o = 0; o < out; ++o) {
      const auto source = static_cast<int64_t>(
          std::floor((static_cast<float>(o) + 0.5F) * static_cast<float>(scale)));
      row(o)[std::clamp<int64_t>(source, 0, in - 1)] = 1.0F;
    }
    return matrix;
  }
  if (interpolation == "area") {
    // Means over equal stretches.
    for (int64_t o = 0; o < out; ++o) {
      const double low = static_cast<double>(o) * scale;
      for (int64_t i = 0; i < in; ++i) {
        const auto at = static_cast<double>(i);
        const double overlap = std::min(at + 1, low + scale) - std::max(at, low);
        if (overlap > 0) row(o)[i] = static_cast<float>(overlap / scale);
      }
    }
    return matrix;
  }
  const Kernel kernel = kernel_of(interpolation);
  const double stretch = antialias ? std::max(scale, 1.0) : 1.0;
  for (int64_t o = 0; o < out; ++o) {
    double centre = (static_cast<double>(o) + 0.5) * scale;
    if (interpolation == "bicubic" && !antialias) {
      // TensorFlow takes these weights from a table of 1024 steps per pixel.
      constexpr double kSteps = 1024;
      const double below = std::floor(centre - 0.5);
      centre = below + std::nearbyint((centre - 0.5 - below) * kSteps) / kSteps + 0.5;
    }
    const auto first = static_cast<int64_t>(std::ceil(centre - kernel.radius * stretch - 0.5));
    const auto last = static_cast<int64_t>(std::floor(centre + kernel.radius * stretch - 0.5));
    double total = 0;
    const int64_t begin = std::clamp<int64_t>(first, 0, in - 1);
    const int64_t end = std::clamp<int64_t>(last, 0, in - 1);
    std::vector<double> taps;
    for (int64_t i = begin; i <= end; ++i) {
      taps.push_back(kernel.weight(std::abs(static_cast<double>(i) + 0.5 - centre) / stretch));
      total += taps.back();
    }
    if (std::abs(total) < 1e-10) continue;
    for (int64_t i = begin; i <= end; ++i) {
      row(o)[i] = static_cast<float>(taps[static_cast<size_t>(i - begin)] / total);
    }
  }
  return matrix;
}

Tensor weight_matrix(int64_t in, int64_t out, const std::string& interpolation, bool antialias,
                     DType dtype) {
  return ops::cast(Tensor::of(weights_of(in, out, interpolation, antialias), Shape{out, in}),
                   dtype);
}

}  // namespace

Tensor resize_images(const Tensor& images, int64_t height, int64_t width,
                     const std::string& interpolation, bool antialias) {
  if (interpolation != "nearest" && interpolation != "area") kernel_of(interpolation);
  const int64_t batch = images.dim(0);
  const int64_t in_height = images.dim(1);
  const int64_t in_width = images.dim(2);
  const int64_t channels = images.dim(3);
  Tensor x = images;
  if (in_height != height) {
    const Tensor rows = weight_matrix(in_height, height, interpolation, antialias, images.dtype());
    x = ops::matmul(rows, ops::reshape(x, Shape{batch, in_height, in_width * channels}));
  }
  if (in_width != width) {
    const Tensor columns = weight_matrix(in_width, width, interpolation, antialias, images.dtype());
    x = ops::matmul(columns, ops::reshape(x, Shape{batch * height, in_width, channels}));
  }
  return ops::reshape(x, Shape{batch, height, width, channels});
}

Part centred_part(const Tensor& images, int64_t height, int64_t width) {
  const int64_t in_height = images.dim(1);
  const int64_t in_width = images.dim(2);
  const auto scaled = [](int64_t a, int64_t b, int64_t c) {
    return static_cast<int64_t>(static_cast<float>(a * b) / static_cast<float>(c));
  };
  const int64_t crop_height = std::clamp<int64_t>(scaled(in_width, height, width), 1, in_height);
  const int64_t crop_width = std::clamp<int64_t>(scaled(in_height, width, height), 1, in_width);
  return {.top = (in_height - crop_height) / 2,
          .left = (in_width - crop_width) / 2,
          .height = crop_height,
          .width = crop_width};
}

Tensor crop_to_aspect_ratio(const Tensor& images, int64_t height, int64_t width) {
  const Part part = centred_part(images, height, width);
  return ops::slice_axis(ops::slice_axis(images, 1, part.top, part.top + part.height), 2, part.left,
                         part.left + part.width);
}

}  // namespace antler
