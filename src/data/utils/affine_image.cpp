// Geometry and brightness of single images, computed as in SciPy and Pillow.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "antler/base/error.h"
#include "antler/data/utils/image_generator.h"
#include "antler/data/utils/images.h"
#include "data/random_words.h"
#include "data/utils/draws.h"

namespace antler::utils {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) {
      for (size_t j = 0; j < 3; ++j) c[i][k] += a[i][j] * b[j][k];
    }
  }
  return c;
}

constexpr Matrix kIdentity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Matrix matrix_of(const AffineImageOptions& o) {
  constexpr double kDegree = std::numbers::pi / 180;
  const double turn = o.theta * kDegree;
  const double slant = o.shear * kDegree;
  Matrix m = {
      {{std::cos(turn), -std::sin(turn), 0}, {std::sin(turn), std::cos(turn), 0}, {0, 0, 1}}};
  m = product(m, {{{1, 0, o.tx}, {0, 1, o.ty}, {0, 0, 1}}});
  m = product(m, {{{1, -std::sin(slant), 0}, {0, std::cos(slant), 0}, {0, 0, 1}}});
  return product(m, {{{o.zx, 0, 0}, {0, o.zy, 0}, {0, 0, 1}}});
}

enum class Fill : uint8_t { nearest, constant, reflect, wrap };

Fill fill_of(const std::string& mode) {
  if (mode == "nearest") return Fill::nearest;
  if (mode == "constant") return Fill::constant;
  if (mode == "reflect") return Fill::reflect;
  if (mode == "wrap") return Fill::wrap;
  throw ValueError(
      "Unknown fill_mode: {}. Expected one of 'constant', 'nearest', 'reflect', 'wrap'.", mode);
}

/// Maps a coordinate into [0, size - 1]; nullopt if it is outside and the mode is "constant".
std::optional<double> inside(double x, int64_t size, Fill fill) {
  const auto n = static_cast<double>(size);
  if (x >= 0 && x <= n - 1) return x;
  switch (fill) {
    case Fill::constant:
      return std::nullopt;
    case Fill::nearest:
      break;
    case Fill::wrap:
      // In SciPy the period is the distance between the first and the last pixel.
      if (size == 1) return 0;
      x -= (n - 1) * std::floor(x / (n - 1));
      break;
    case Fill::reflect:
      // dcba|abcd|dcba: reflected about the edges of the first and the last pixel.
      x = x + 0.5 - 2 * n * std::floor((x + 0.5) / (2 * n));
      x = (x < n ? x : 2 * n - x) - 0.5;
      break;
  }
  return std::clamp(x, 0.0, n - 1);
}

struct ImageAxis {
  int64_t size;
  int64_t stride;
};

}  // namespace

Tensor apply_affine_transform(const Tensor& x, const AffineImageOptions& o) {
  if (x.rank() != 3) throw ValueError("Input arrays must be multi-channel 2D images.");
  std::array<int, 3> axes = {o.row_axis, o.col_axis, o.channel_axis};
  std::sort(axes.begin(), axes.end());
  if (axes != std::array<int, 3>{0, 1, 2}) {
    throw ValueError("'row_axis', 'col_axis', and 'channel_axis' must be 0, 1 and 2 in any order");
  }
  if (o.channel_axis == 1) {
    throw ValueError("Channels are allowed and the first and last dimensions.");
  }
  const Fill fill = fill_of(o.fill_mode);
  if (o.order != 0 && o.order != 1) {
    throw NotImplementedError("Only interpolation of order 0 or 1 is supported. Received: order={}",
                              o.order);
  }
  const std::vector<float> from = floats_of(x);
  if (o.theta == 0 && o.tx == 0 && o.ty == 0 && o.shear == 0 && o.zx == 1 && o.zy == 1) {
    return Tensor::of(from, x.shape());
  }
  const std::array<int64_t, 3> strides = {x.dim(1) * x.dim(2), x.dim(2), 1};
  const auto axis = [&](int i) { return ImageAxis{x.dim(i), strides[static_cast<size_t>(i)]}; };
  const ImageAxis rows = axis(o.row_axis), columns = axis(o.col_axis),
                  channels = axis(o.channel_axis);

  const double middle_row = static_cast<double>(rows.size) / 2 - 0.5;
  const double middle_column = static_cast<double>(columns.size) / 2 - 0.5;
  Matrix back = kIdentity, there = kIdentity;
  back[0][2] = middle_row;
  back[1][2] = middle_column;
  there[0][2] = -middle_row;
  there[1][2] = -middle_column;
  Matrix m = product(product(back, matrix_of(o)), there);
  if (o.col_axis > o.row_axis) {
    // Keras's matrices are for (x, y); arrays are (y, x).
    for (auto& row : m) std::swap(row[0], row[1]);
    std::swap(m[0], m[1]);
  }

  std::vector<float> to(from.size());
  const auto pixel = [&](int64_t row, int64_t column, int64_t channel) {
    return static_cast<double>(
        from[static_cast<size_t>(row * rows.stride + column * columns.stride + channel)]);
  };
  for (int64_t r = 0; r < rows.size; ++r) {
    for (int64_t c = 0; c < columns.size; ++c) {
      const auto at = [&](size_t i) {
        return m[i][0] * static_cast<double>(r) + m[i][1] * static_cast<double>(c) + m[i][2];
      };
      const std::optional<double> y = inside(at(0), rows.size, fill);
      const std::optional<double> z = inside(at(1), columns.size, fill);
      for (int64_t k = 0; k < channels.size; ++k) {
        const int64_t channel = k * channels.stride;
        double value = o.cval;
        if (y && z && o.order == 0) {
          value = pixel(static_cast<int64_t>(std::floor(*y + 0.5)),
                        static_cast<int64_t>(std::floor(*z + 0.5)), channel);
        } else if (y && z) {
          const auto top = static_cast<int64_t>(*y);
          const auto left = static_cast<int64_t>(*z);
          const int64_t bottom = std::min(top + 1, rows.size - 1);
          const int64_t right = std::min(left + 1, columns.size - 1);
          const double down = *y - static_cast<double>(top);
          const double across = *z - static_cast<double>(left);
          value = (1 - down) * ((1 - across) * pixel(top, left, channel) +
                                across * pixel(top, right, channel)) +
                  down * ((1 - across) * pixel(bottom, left, channel) +
                          across * pixel(bottom, right, channel));
        }
        to[static_cast<size_t>(r * rows.stride + c * columns.stride + channel)] =
            static_cast<float>(value);
      }
    }
  }
  return Tensor::of(to, x.shape());
}

Tensor apply_channel_shift(const Tensor& x, double intensity) {
  std::vector<float> values = floats_of(x);
  if (values.empty()) return Tensor::of(values, x.shape());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const float least = *low, most = *high;
  for (float& v : values) v = std::clamp(v + static_cast<float>(intensity), least, most);
  return Tensor::of(values, x.shape());
}

Tensor apply_brightness_shift(const Tensor& x, double brightness, BrightnessOptions options) {
  const std::vector<float> values = floats_of(x);
  if (values.empty()) return Tensor::of(values, x.shape());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const float least = *low, most = *high;
  const bool local_scale = least < 0 || most > 255;
  const Tensor image = array_to_img(x, {.scale = local_scale || options.scale});
  const std::vector<uint8_t> bytes = image.to_vector<uint8_t>();
  const int64_t channels = x.dim(2);
  std::vector<float> out;
  out.reserve(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool alpha = channels == 4 && i % 4 == 3;  // alpha is kept
    const float bright =
        alpha ? static_cast<float>(bytes[i]) : static_cast<float>(brightness) * bytes[i];
    float value = static_cast<float>(static_cast<uint8_t>(std::clamp(bright, 0.0F, 255.0F)));
    if (!options.scale && local_scale) value = value / 255 * (most - least) + least;
    out.push_back(value);
  }
  return Tensor::of(out, x.shape());
}

Tensor random_rotation(const Tensor& x, double rg, uint64_t seed, AffineImageOptions options) {
  data::RandomWords words(seed, 0);
  options.theta = uniform(words, -rg, rg);
  return apply_affine_transform(x, options);
}

Tensor random_shift(const Tensor& x, double wrg, double hrg, uint64_t seed,
                    AffineImageOptions options) {
  if (x.rank() != 3) throw ValueError("Input arrays must be multi-channel 2D images.");
  data::RandomWords words(seed, 0);
  options.ty = uniform(words, -hrg, hrg) * static_cast<double>(x.dim(options.row_axis));
  options.tx = uniform(words, -wrg, wrg) * static_cast<double>(x.dim(options.col_axis));
  return apply_affine_transform(x, options);
}

Tensor random_shear(const Tensor& x, double intensity, uint64_t seed, AffineImageOptions options) {
  data::RandomWords words(seed, 0);
  options.shear = uniform(words, -intensity, intensity);
  return apply_affine_transform(x, options);
}

Tensor random_zoom(const Tensor& x, std::pair<double, double> zoom_range, uint64_t seed,
                   AffineImageOptions options) {
  data::RandomWords words(seed, 0);
  options.zx = uniform(words, zoom_range.first, zoom_range.second);
  options.zy = uniform(words, zoom_range.first, zoom_range.second);
  return apply_affine_transform(x, options);
}

Tensor random_channel_shift(const Tensor& x, double intensity_range, uint64_t seed) {
  data::RandomWords words(seed, 0);
  return apply_channel_shift(x, uniform(words, -intensity_range, intensity_range));
}

Tensor random_brightness(const Tensor& x, std::pair<double, double> range, uint64_t seed,
                         BrightnessOptions options) {
  data::RandomWords words(seed, 0);
  return apply_brightness_shift(x, uniform(words, range.first, range.second), options);
}

}  // namespace antler::utils
