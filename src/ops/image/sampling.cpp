#include "ops/image/sampling.h"

#include <functional>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/image.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// How to extend an array.
enum class FillMode : uint8_t {
  constant,
  nearest,
  reflect,      ///< dcba|abcd|dcba
  mirror,       ///< dcb|abcd|cba
  wrap,         ///< abcd|abcd|abcd
  wrap_border,  ///< TensorFlow's "wrap", with the border's value between two copies
};

FillMode parse_fill_mode(const std::string& function, const std::string& fill_mode, FillMode wrap) {
  if (fill_mode == "constant") return FillMode::constant;
  if (fill_mode == "nearest") return FillMode::nearest;
  if (fill_mode == "reflect") return FillMode::reflect;
  if (fill_mode == "mirror") return FillMode::mirror;
  if (fill_mode == "wrap") return wrap;
  throw ValueError(
      "{}: invalid value for argument `fill_mode`. Expected one of 'constant', 'nearest', 'wrap', "
      "'mirror', 'reflect'. Received: fill_mode={}",
      function, fill_mode);
}

/// Maps coordinates into [0, size - 1]. FillMode::constant leaves them; FillMode::wrap maps them
/// into [0, size).
Tensor fold_inside(const Tensor& x, int64_t size, FillMode fill_mode) {
  const auto n = static_cast<double>(size);
  const auto inside = [&](const Tensor& c) { return clip(c, 0.0, n - 1); };
  if (fill_mode == FillMode::constant) return x;
  if (fill_mode == FillMode::nearest) return inside(x);
  if (fill_mode == FillMode::wrap) {
    const Tensor rest = x - n * floor(x / n);
    return where(less(rest, n), rest, 0.0);  // rounding may yield n
  }
  if (size <= 1) return zeros_like(x);
  const Tensor before = less(x, 0.0);
  if (fill_mode == FillMode::mirror) {
    const double period = 2 * (n - 1);
    const Tensor far = absolute(x);
    const Tensor rest = far - period * floor(far / period);
    return inside(where(greater(rest, n - 1), period - rest, rest));
  }
  if (fill_mode == FillMode::wrap_border) {
    const double period = n - 1;
    const Tensor up = x + n * (trunc(-x / period) + 1.0);
    const Tensor down = x - n * trunc(x / period);
    return inside(where(before, up, where(greater(x, n - 1), down, x)));
  }
  const double period = 2 * n;
  Tensor up = period * trunc(-x / period) + x;
  up = where(less(up, -n), up + period, -up - 1.0);
  Tensor down = x - period * trunc(x / period);
  down = where(greater_equal(down, n), period - down - 1.0, down);
  return inside(where(before, up, where(greater(x, n - 1), down, x)));
}

/// Rounds halves away from zero, like C's round. (floor(x + 0.5) is wrong just below a half.)
Tensor round_half_away(const Tensor& x) {
  const Tensor whole = trunc(x);
  const Tensor away = where(less(x, 0.0), -1.0, 1.0);
  return whole + where(greater_equal(absolute(x - whole), 0.5), away, 0.0);
}

/// A batch of arrays of the same shape, flattened to [positions, channels].
struct Grid {
  Tensor elements;
  std::vector<int64_t> sizes;  ///< sizes of one array
  Tensor first;  ///< int32 index of the array of each coordinate; undefined for a single array
  FillMode fill_mode;
  double fill_value;
};

/// Elements [..., channels] at integral coordinates [...], one tensor per dimension.
Tensor read_elements(const Grid& grid, const std::vector<Tensor>& at) {
  Tensor valid;
  Tensor index = grid.first;
  for (size_t i = 0; i < at.size(); ++i) {
    const int64_t size = grid.sizes[i];
    const double last = static_cast<double>(size - 1);
    Tensor c = at[i];
    if (grid.fill_mode == FillMode::wrap) {
      c = where(greater(c, last), 0.0, c);
    } else {
      const Tensor within = logical_and(greater_equal(c, 0.0), less_equal(c, last));
      valid = valid.defined() ? logical_and(valid, within) : within;
    }
    const Tensor whole = cast(clip(c, 0.0, last), DType::int32);
    index = index.defined() ? index * static_cast<int>(size) + whole : whole;
  }
  Tensor found = take(grid.elements, index, 0);
  if (!valid.defined()) return found;
  return where(expand_dims(valid, -1), found, scalar(grid.fill_value, grid.elements.dtype()));
}

/// Linear interpolation at coordinates [...], one tensor per dimension.
Tensor interpolate(const Grid& grid, const std::vector<Tensor>& coordinates) {
  std::vector<Tensor> at(coordinates.size());
  const std::function<Tensor(size_t)> along = [&](size_t dimension) -> Tensor {
    if (dimension == coordinates.size()) return read_elements(grid, at);
    const Tensor low = floor(coordinates[dimension]);
    const Tensor part = cast(expand_dims(coordinates[dimension] - low, -1), grid.elements.dtype());
    at[dimension] = low;
    const Tensor a = along(dimension + 1);
    at[dimension] = low + 1.0;
    const Tensor b = along(dimension + 1);
    return (1.0 - part) * a + part * b;
  };
  return along(0);
}

Tensor read_grid(const Grid& grid, std::vector<Tensor> coordinates, bool nearest) {
  for (size_t i = 0; i < coordinates.size(); ++i) {
    const Tensor c = fold_inside(coordinates[i], grid.sizes[i], grid.fill_mode);
    coordinates[i] = nearest ? round_half_away(c) : c;
  }
  return nearest ? read_elements(grid, coordinates) : interpolate(grid, coordinates);
}

/// Coordinates are computed in at least float32.
Tensor as_coordinates(const Tensor& t) { return cast(t, promote_types(t.dtype(), DType::float32)); }

Tensor per_image(const Tensor& t) {
  return t.rank() == 0 ? t : reshape(as_coordinates(t), Shape{-1, 1, 1});
}

/// The projection from the corners (0, 0), (1, 0), (0, 1), (1, 1) to four points [n, 4, 2]
/// (Heckbert 1989): ((a u + b v + c) / (g u + h v + 1), (d u + e v + f) / (g u + h v + 1)).
struct SquareMap {
  Tensor a, b, c, d, e, f, g, h;
};
SquareMap square_to(const Tensor& points) {
  const auto coordinate = [&](int64_t point, int64_t axis) {
    return squeeze(
        squeeze(slice_axis(slice_axis(points, 1, point, point + 1), 2, axis, axis + 1), 2), 1);
  };
  const Tensor x1 = coordinate(0, 0), y1 = coordinate(0, 1);
  const Tensor x2 = coordinate(1, 0), y2 = coordinate(1, 1);
  const Tensor x3 = coordinate(2, 0), y3 = coordinate(2, 1);
  const Tensor x4 = coordinate(3, 0), y4 = coordinate(3, 1);
  const Tensor sx = x1 - x2 + x4 - x3;
  const Tensor sy = y1 - y2 + y4 - y3;
  const Tensor dx1 = x2 - x4, dy1 = y2 - y4;
  const Tensor dx2 = x3 - x4, dy2 = y3 - y4;
  const Tensor determinant = dx1 * dy2 - dx2 * dy1;
  const Tensor g = (sx * dy2 - dx2 * sy) / determinant;
  const Tensor h = (dx1 * sy - sx * dy1) / determinant;
  return {.a = x2 - x1 + g * x2,
          .b = x3 - x1 + h * x3,
          .c = x1,
          .d = y2 - y1 + g * y2,
          .e = y3 - y1 + h * y3,
          .f = y1,
          .g = g,
          .h = h};
}

}  // namespace

void check_sampling(const std::string& function, const Sampling& sampling) {
  parse_fill_mode(function, sampling.fill_mode, FillMode::wrap);
  if (sampling.interpolation == "bilinear" || sampling.interpolation == "nearest") return;
  throw ValueError(
      "{}: invalid value for argument `interpolation`. Expected one of 'nearest', 'bilinear'. "
      "Received: interpolation={}",
      function, sampling.interpolation);
}

Tensor sample_at(const Tensor& images, const Tensor& x, const Tensor& y, const Sampling& sampling) {
  const int64_t height = images.dim(1);
  const int64_t width = images.dim(2);
  const Grid grid{
      .elements = reshape(images, Shape{images.dim(0) * height * width, images.dim(3)}),
      .sizes = {height, width},
      .first = iota(x.shape(), 0),
      .fill_mode = parse_fill_mode("sample_at", sampling.fill_mode, FillMode::wrap_border),
      .fill_value = sampling.fill_value};
  return read_grid(grid, {y, x}, sampling.interpolation == "nearest");
}

Tensor project(const Tensor& images, const Projection& p, const Sampling& sampling) {
  const Shape grid{images.dim(0), images.dim(1), images.dim(2)};
  const Tensor x = iota(grid, 2, DType::float32);
  const Tensor y = iota(grid, 1, DType::float32);
  const auto linear = [&](const Tensor& a, const Tensor& b, const Tensor& c) {
    return per_image(a) * x + per_image(b) * y + per_image(c);
  };
  const Tensor k = linear(p.c0, p.c1, 1.0);
  const Tensor sampled =
      sample_at(images, linear(p.a0, p.a1, p.a2) / k, linear(p.b0, p.b1, p.b2) / k, sampling);
  return where(expand_dims(equal(k, 0.0), -1), scalar(sampling.fill_value, images.dtype()),
               sampled);
}

Projection projection_between(const Tensor& start, const Tensor& end) {
  const SquareMap s = square_to(start);
  const SquareMap e = square_to(end);
  // The inverse of `e` by cofactors, then `s`, scaled such that the last entry is 1.
  const Tensor i00 = e.e - e.f * e.h, i01 = e.c * e.h - e.b, i02 = e.b * e.f - e.c * e.e;
  const Tensor i10 = e.f * e.g - e.d, i11 = e.a - e.c * e.g, i12 = e.c * e.d - e.a * e.f;
  const Tensor i20 = e.d * e.h - e.e * e.g, i21 = e.b * e.g - e.a * e.h,
               i22 = e.a * e.e - e.b * e.d;
  const Tensor scale = s.g * i02 + s.h * i12 + i22;
  const auto entry = [&](const Tensor& p, const Tensor& q, const Tensor& r, const Tensor& x,
                         const Tensor& y,
                         const Tensor& z) { return (p * x + q * y + r * z) / scale; };
  return {.a0 = entry(s.a, s.b, s.c, i00, i10, i20),
          .a1 = entry(s.a, s.b, s.c, i01, i11, i21),
          .a2 = entry(s.a, s.b, s.c, i02, i12, i22),
          .b0 = entry(s.d, s.e, s.f, i00, i10, i20),
          .b1 = entry(s.d, s.e, s.f, i01, i11, i21),
          .b2 = entry(s.d, s.e, s.f, i02, i12, i22),
          .c0 = (s.g * i00 + s.h * i10 + i20) / scale,
          .c1 = (s.g * i01 + s.h * i11 + i21) / scale};
}

Tensor map_coordinates(const Tensor& x, const Tensor& coordinates, int order,
                       const MapCoordinatesOptions& o) {
  const Shape& shape = known_shape("map_coordinates", x);
  const Shape& places = known_shape("map_coordinates", coordinates);
  if (places.rank() < 2 || places[0] != shape.rank()) {
    throw ValueError(
        "ops::map_coordinates: expected `coordinates` of at least rank 2 whose first dimension is "
        "the rank of the array. Received: inputs.shape={}, coordinates.shape={}",
        shape, places);
  }
  if (order != 0 && order != 1) {
    throw ValueError(
        "Invalid value for argument `order`. Expected one of [0, 1]. Received: order={}", order);
  }
  const Grid grid{.elements = reshape(to_float("map_coordinates", x), Shape{-1, 1}),
                  .sizes = std::vector<int64_t>(shape.begin(), shape.end()),
                  .first = {},
                  .fill_mode = parse_fill_mode("ops::map_coordinates", o.fill_mode, FillMode::wrap),
                  .fill_value = o.fill_value};
  Tensor y = squeeze(read_grid(grid, unstack(as_coordinates(coordinates), 0), order == 0), -1);
  if (is_floating(x.dtype())) return y;
  return saturate_cast(round_half_away(y), x.dtype());
}

}  // namespace antler::ops
