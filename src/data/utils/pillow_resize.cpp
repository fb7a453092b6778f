#include "data/utils/pillow_resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "antler/base/error.h"

// Implemented here because results must equal Pillow's, and no C++ library rounds in the same way.
namespace antler::utils {
namespace {

struct Filter {
  double support;
  double (*value)(double);
};

double sinc(double x) {
  if (x == 0) return 1;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}
double hamming(double x) {
  return std::abs(x) >= 1 ? 0 : sinc(x) * (0.54 + 0.46 * std::cos(std::numbers::pi * x));
}
double bicubic(double x) {
  x = std::abs(x);
  if (x >= 2) return 0;
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;
}

Filter filter_of(const std::string& name) {
  if (name == "box") return {0.5, [](double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }};
  if (name == "bilinear") return {1, [](double x) { return std::max(0.0, 1 - std::abs(x)); }};
  if (name == "hamming") return {1, hamming};
  if (name == "bicubic") return {2, bicubic};
  if (name == "lanczos") {
    return {3, [](double x) { return std::abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0.0; }};
  }
  throw ValueError(
      "Invalid interpolation method {} specified. Supported methods are nearest, bilinear, "
      "bicubic, hamming, box, lanczos",
      name);
}

/// The weights of an output pixel, which begin at input pixel `first`.
struct Taps {
  int64_t first = 0;
  std::vector<double> weights;
};

/// Resizes `part` of `in` pixels, beginning at `start`, to `out` pixels.
struct Axis {
  int64_t in;
  int64_t start;
  int64_t part;
  int64_t out;
};

std::vector<Taps> taps_of(const Axis& axis, const Filter& filter) {
  const double scale = static_cast<double>(axis.part) / static_cast<double>(axis.out);
  const double stretch = std::max(scale, 1.0);
  const double support = filter.support * stretch;
  std::vector<Taps> all;
  for (int64_t o = 0; o < axis.out; ++o) {
    const double center = static_cast<double>(axis.start) + (static_cast<double>(o) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
    const auto last = std::min(static_cast<int64_t>(center + support + 0.5), axis.in);
    Taps taps{first, {}};
    double total = 0;
    for (int64_t i = first; i < last; ++i) {
      taps.weights.push_back(filter.value((static_cast<double>(i) - center + 0.5) / stretch));
      total += taps.weights.back();
    }
    // Rounded to 22 fractional bits as in Pillow.
    for (double& w : taps.weights) w = std::round(w / total * 0x1p22) * 0x1p-22;
    all.push_back(std::move(taps));
  }
  return all;
}

/// Resamples the middle axis of [outer, in, inner].
std::vector<uint8_t> resample(const std::vector<uint8_t>& from, int64_t outer, const Axis& axis,
                              int64_t inner, const Filter& filter) {
  if (axis.in == axis.out && axis.part == axis.in) return from;
  const std::vector<Taps> taps = taps_of(axis, filter);
  const int64_t in = axis.in;
  const int64_t out = axis.out;
  std::vector<uint8_t> to(static_cast<size_t>(outer * out * inner));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < out; ++i) {
      const Taps& t = taps[static_cast<size_t>(i)];
      for (int64_t k = 0; k < inner; ++k) {
        double sum = 0;
        for (size_t n = 0; n < t.weights.size(); ++n) {
          const int64_t at = (o * in + t.first + static_cast<int64_t>(n)) * inner + k;
          sum += t.weights[n] * from[static_cast<size_t>(at)];
        }
        to[static_cast<size_t>((o * out + i) * inner + k)] =
            static_cast<uint8_t>(std::clamp(std::floor(sum + 0.5), 0.0, 255.0));
      }
    }
  }
  return to;
}

std::vector<uint8_t> nearest(const std::vector<uint8_t>& from, const Shape& shape, const Box& box,
                             int64_t height, int64_t width) {
  std::vector<uint8_t> to;
  const auto source = [](int64_t i, int64_t in, int64_t out) {
    const double scale = static_cast<double>(in) / static_cast<double>(out);
    return std::min(static_cast<int64_t>((static_cast<double>(i) + 0.5) * scale), in - 1);
  };
  for (int64_t y = 0; y < height; ++y) {
    const int64_t row = (box.top + source(y, box.height, height)) * shape[1] + box.left;
    for (int64_t x = 0; x < width; ++x) {
      const auto pixel = from.begin() + (row + source(x, box.width, width)) * shape[2];
      to.insert(to.end(), pixel, pixel + shape[2]);
    }
  }
  return to;
}

}  // namespace

Tensor pillow_resize(const Tensor& image, const Box& box, int64_t height, int64_t width,
                     const std::string& interpolation) {
  if (height < 1 || width < 1) {
    throw ValueError("An image must be resized to 1 x 1 or larger. Received: {} x {}", height,
                     width);
  }
  const Shape shape = image.shape();
  std::vector<uint8_t> pixels = image.to_vector<uint8_t>();
  if (interpolation == "nearest") {
    pixels = nearest(pixels, shape, box, height, width);
  } else {
    const Filter filter = filter_of(interpolation);
    pixels = resample(pixels, shape[0], {shape[1], box.left, box.width, width}, shape[2], filter);
    pixels = resample(pixels, 1, {shape[0], box.top, box.height, height}, width * shape[2], filter);
  }
  return Tensor::of(pixels, {height, width, shape[2]});
}

}  // namespace antler::utils
