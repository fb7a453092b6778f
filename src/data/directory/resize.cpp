#include "data/directory/resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antler/base/error.h"

namespace antler::data {
namespace {

double lanczos(double x, double radius) {
  x = std::abs(x);
  if (x >= radius) return 0;
  if (x < 1e-3) return 1;
  const double p = std::numbers::pi * x;
  return radius * std::sin(p) * std::sin(p / radius) / (p * p);
}

/// The family of cubic filters with parameters B and C (Mitchell and Netravali, 1988).
double cubic(double x, double b, double c) {
  x = std::abs(x);
  if (x >= 2) return 0;
  if (x < 1)
    return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6;
  return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b +
          24 * c) /
         6;
}

struct Kernel {
  double radius;
  double (*value)(double);
};

Kernel kernel_of(const std::string& name) {
  if (name == "bilinear") return {1, [](double x) { return std::max(0.0, 1 - std::abs(x)); }};
  // Keys's cubic with a = -0.5.
  if (name == "bicubic") return {2, [](double x) { return cubic(x, 0, 0.5); }};
  if (name == "mitchellcubic") return {2, [](double x) { return cubic(x, 1.0 / 3, 1.0 / 3); }};
  if (name == "lanczos3") return {3, [](double x) { return lanczos(x, 3); }};
  if (name == "lanczos5") return {5, [](double x) { return lanczos(x, 5); }};
  if (name == "gaussian") {
    // The radius is 1.5, the standard deviation a third of it.
    return {1.5, [](double x) { return std::abs(x) >= 1.5 ? 0 : std::exp(-2 * x * x); }};
  }
  return {0, nullptr};  // nearest and area
}

}  // namespace

ImageResizer::ImageResizer(const std::string& interpolation, Fit fit, int64_t height, int64_t width,
                           int64_t channels)
    : interpolation_(interpolation),
      fit_(fit),
      height_(height),
      width_(width),
      channels_(channels) {
  if (interpolation != "nearest" && interpolation != "area" &&
      kernel_of(interpolation).value == nullptr) {
    throw ValueError(
        "`interpolation` must be \"bilinear\", \"nearest\", \"bicubic\", \"area\", \"lanczos3\", "
        "\"lanczos5\", \"gaussian\" or \"mitchellcubic\". Received: interpolation={}",
        interpolation);
  }
}

void ImageResizer::prepare(Weights& w, int64_t from, int64_t to) const {
  if (w.from == from && w.to == to) return;
  const Kernel kernel = kernel_of(interpolation_);
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const auto outputs = static_cast<size_t>(to);
  std::vector<std::vector<double>> weights(outputs);
  w.first.assign(outputs, 0);
  for (size_t i = 0; i < outputs; ++i) {
    const auto at = static_cast<double>(i);
    double begin = 0;
    double end = 0;
    if (interpolation_ == "nearest") {
      w.first[i] = std::min(static_cast<int64_t>((at + 0.5) * scale), from - 1);
      weights[i] = {1};
      continue;
    }
    const double center = (at + 0.5) * scale - 0.5;
    if (interpolation_ == "area") {
      begin = std::floor(at * scale);
      end = std::min(std::ceil((at + 1) * scale), static_cast<double>(from));
    } else {
      begin = std::max(0.0, std::floor(center - kernel.radius) + 1);
      end = std::min(static_cast<double>(from), std::ceil(center + kernel.radius));
    }
    // Only input pixels within the image count; their weights are normalized.
    double sum = 0;
    for (double j = begin; j < end; ++j) {
      const double value = interpolation_ == "area"
                               ? std::min(j + 1, (at + 1) * scale) - std::max(j, at * scale)
                               : kernel.value(j - center);
      weights[i].push_back(value);
      sum += value;
    }
    for (double& value : weights[i]) value /= sum;
    w.first[i] = static_cast<int64_t>(begin);
  }
  // Makes all rows equally long. Shorter rows are padded with zeros, and begin earlier if they
  // would extend beyond the end.
  size_t taps = 0;
  for (const auto& row : weights) taps = std::max(taps, row.size());
  w.values.assign(outputs * taps, 0.0F);
  for (size_t i = 0; i < outputs; ++i) {
    const int64_t shift = std::max<int64_t>(0, w.first[i] + static_cast<int64_t>(taps) - from);
    w.first[i] -= shift;
    for (size_t k = 0; k < weights[i].size(); ++k) {
      w.values[i * taps + k + static_cast<size_t>(shift)] = static_cast<float>(weights[i][k]);
    }
  }
  w.taps = static_cast<int64_t>(taps);
  w.from = from;
  w.to = to;
}

void ImageResizer::resize(const uint8_t* from, int64_t from_height, int64_t from_width, float* to) {
  // The part of the input that is used, and the part of the output to fill.
  int64_t in_top = 0;
  int64_t in_left = 0;
  int64_t in_height = from_height;
  int64_t in_width = from_width;
  int64_t out_top = 0;
  int64_t out_left = 0;
  int64_t out_height = height_;
  int64_t out_width = width_;
  if (fit_ == Fit::crop) {
    in_height = std::clamp<int64_t>(from_width * height_ / width_, 1, from_height);
    in_width = std::clamp<int64_t>(from_height * width_ / height_, 1, from_width);
    in_top = (from_height - in_height) / 2;
    in_left = (from_width - in_width) / 2;
  } else if (fit_ == Fit::pad) {
    // As in tf.image.resize_with_pad, sizes are computed in float32 and rounded down, and half of
    // the padding is on each side.
    const float ratio = std::max(static_cast<float>(from_width) / static_cast<float>(width_),
                                 static_cast<float>(from_height) / static_cast<float>(height_));
    const float fitted_height = static_cast<float>(from_height) / ratio;
    const float fitted_width = static_cast<float>(from_width) / ratio;
    const auto margin = [](int64_t whole, float fitted) {
      return std::max<int64_t>(0, static_cast<int64_t>((static_cast<float>(whole) - fitted) / 2));
    };
    out_top = margin(height_, fitted_height);
    out_left = margin(width_, fitted_width);
    out_height = std::max<int64_t>(1, static_cast<int64_t>(fitted_height));
    out_width = std::max<int64_t>(1, static_cast<int64_t>(fitted_width));
    std::fill_n(to, height_ * width_ * channels_, 0.0F);
  }
  const int64_t c = channels_;
  const auto source_row = [&](int64_t y) {
    return from + ((in_top + y) * from_width + in_left) * c;
  };
  const auto target_row = [&](int64_t y) { return to + ((out_top + y) * width_ + out_left) * c; };
  if (in_height == out_height && in_width == out_width) {
    for (int64_t y = 0; y < out_height; ++y) {
      std::copy_n(source_row(y), out_width * c, target_row(y));
    }
    return;
  }
  prepare(rows_, in_height, out_height);
  prepare(columns_, in_width, out_width);
  // The first pass resizes the width, only of input rows that some output row uses.
  lines_.resize(static_cast<size_t>(in_height * out_width * c));
  std::vector<bool> used(static_cast<size_t>(in_height), false);
  for (const int64_t first : rows_.first) {
    for (int64_t k = 0; k < rows_.taps; ++k) used[static_cast<size_t>(first + k)] = true;
  }
  for (int64_t y = 0; y < in_height; ++y) {
    if (!used[static_cast<size_t>(y)]) continue;
    const uint8_t* row = source_row(y);
    float* line = lines_.data() + y * out_width * c;
    for (int64_t x = 0; x < out_width; ++x) {
      const uint8_t* pixel = row + columns_.first[static_cast<size_t>(x)] * c;
      const float* weight = columns_.values.data() + x * columns_.taps;
      for (int64_t i = 0; i < c; ++i) {
        float sum = 0;
        for (int64_t k = 0; k < columns_.taps; ++k)
          sum += weight[k] * static_cast<float>(pixel[k * c + i]);
        *line++ = sum;
      }
    }
  }
  for (int64_t y = 0; y < out_height; ++y) {
    float* row = target_row(y);
    std::fill_n(row, out_width * c, 0.0F);
    for (int64_t k = 0; k < rows_.taps; ++k) {
      const float weight = rows_.values[static_cast<size_t>(y * rows_.taps + k)];
      const float* line = lines_.data() + (rows_.first[static_cast<size_t>(y)] + k) * out_width * c;
      for (int64_t i = 0; i < out_width * c; ++i) row[i] += weight * line[i];
    }
  }
}

}  // namespace antler::data
