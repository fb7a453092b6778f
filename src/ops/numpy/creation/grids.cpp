#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/sorting.h"
#include "ops/support.h"
#include "ops/window_functions.h"

/// Ranges, grids and window functions.
namespace antler::ops {

Tensor linspace(const Tensor& start, const Tensor& stop, const LinspaceOptions& options) {
  const int64_t num = options.num;
  if (num < 0) {
    throw ValueError("ops::linspace: `num` must not be negative. Received: num={}.", num);
  }
  const Operands ends = promote("linspace", start, stop);
  const Tensor low = to_float("linspace", ends.x);
  const Tensor high = to_float("linspace", ends.y);
  const Shape& rest = known_shape("linspace", low);
  Shape shape{num};
  for (const int64_t d : rest) shape.push_back(d);
  const Tensor index = iota(shape, 0, DType::int32);
  const Tensor at = cast(index, low.dtype());
  const auto steps = static_cast<double>(std::max<int64_t>(options.endpoint ? num - 1 : num, 1));
  Tensor y = add(low, multiply(at, divide(subtract(high, low), steps)));
  // Makes the last number exact.
  if (options.endpoint && num > 1) y = where(equal(index, num - 1), high, y);
  const DType type = options.dtype.value_or(low.dtype());
  if (is_integer(type)) y = floor(y);
  return cast(moveaxis(y, 0, options.axis), type);
}

Tensor linspace_step(const Tensor& start, const Tensor& stop, int64_t num,
                     LinspaceStepOptions options) {
  const Operands ends = promote("linspace", start, stop);
  const Tensor range = subtract(to_float("linspace", ends.y), to_float("linspace", ends.x));
  const int64_t steps = options.endpoint ? num - 1 : num;
  if (steps > 0) return divide(range, static_cast<double>(steps));
  return filled_like(std::numeric_limits<double>::quiet_NaN(), range);
}

Tensor logspace(const Tensor& start, const Tensor& stop, const LogspaceOptions& options) {
  const Tensor exponents =
      linspace(start, stop, options.num, {.endpoint = options.endpoint, .axis = options.axis});
  const Tensor y = power(scalar(options.base, exponents.dtype()), exponents);
  return cast(y, options.dtype.value_or(y.dtype()));
}

Tensor geomspace(const Tensor& start, const Tensor& stop, const LinspaceOptions& options) {
  const Operands ends = promote("geomspace", start, stop);
  const Tensor low = to_float("geomspace", ends.x);
  const Tensor high = to_float("geomspace", ends.y);
  const Tensor exponents = linspace(log(absolute(low)), log(absolute(high)), options.num,
                                    {.endpoint = options.endpoint, .axis = options.axis});
  const Tensor y = multiply(sign(low), exp(exponents));
  return cast(y, options.dtype.value_or(y.dtype()));
}

TensorParts meshgrid(const std::vector<Tensor>& xs, const std::string& indexing) {
  if (indexing != "xy" && indexing != "ij") {
    throw ValueError("ops::meshgrid: `indexing` must be 'xy' or 'ij'. Received: indexing={}.",
                     indexing);
  }
  Shape shape;
  for (const Tensor& x : xs) {
    const Shape& known = known_shape("meshgrid", x);
    if (known.rank() > 1) {
      throw ValueError("ops::meshgrid: expected vectors. Received: shape={}.", known);
    }
    shape.push_back(known.num_elements());
  }
  const bool swap = indexing == "xy" && xs.size() > 1;
  if (swap) std::swap(shape[0], shape[1]);
  std::vector<Tensor> grids;
  for (size_t i = 0; i < xs.size(); ++i) {
    const auto axis = static_cast<int64_t>(swap && i < 2 ? 1 - i : i);
    grids.push_back(broadcast_in_dim(reshape(to_dtype(xs[i], xs[i].dtype()), {-1}), shape, {axis}));
  }
  return grids;
}

std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape) {
  require_defined("unravel_index", indices);
  if (!is_integer(indices.dtype())) {
    throw TypeError("ops::unravel_index: expected integers. Received: {}.",
                    dtype_name(indices.dtype()));
  }
  if (!shape.is_known()) {
    throw ValueError("ops::unravel_index: the sizes of `shape` must not be negative. Received: {}.",
                     shape);
  }
  const int64_t size = shape.num_elements();
  const Tensor strong = to_dtype(indices, indices.dtype());
  // Negative indices count from the end; indices out of range are clamped.
  Tensor rest = where(less(strong, 0), add(strong, size), strong);
  rest = clip(rest, 0, std::max<int64_t>(size - 1, 0));
  std::vector<Tensor> coordinates;
  for (const int64_t stride : shape.strides()) {
    coordinates.push_back(floor_divide(rest, stride));
    rest = mod(rest, stride);
  }
  return coordinates;
}

namespace {

Tensor window_tensor(const std::vector<double>& values) {
  return Tensor::of(std::vector<float>(values.begin(), values.end()),
                    {static_cast<int64_t>(values.size())});
}

}  // namespace

Tensor bartlett(int64_t length) {
  return window_tensor(window_function("bartlett", length, false));
}
Tensor blackman(int64_t length) {
  return window_tensor(window_function("blackman", length, false));
}
Tensor hamming(int64_t length) { return window_tensor(window_function("hamming", length, false)); }
Tensor hanning(int64_t length) { return window_tensor(window_function("hann", length, false)); }

Tensor kaiser(int64_t length, double beta) {
  std::vector<double> values(static_cast<size_t>(std::max<int64_t>(length, 0)), 1.0);
  for (size_t k = 0; k < values.size() && length > 1; ++k) {
    const double position = 2 * static_cast<double>(k) / static_cast<double>(length - 1) - 1;
    const double inside = beta * std::sqrt(std::max(1 - position * position, 0.0));
    values[k] = std::cyl_bessel_i(0.0, std::abs(inside)) / std::cyl_bessel_i(0.0, std::abs(beta));
  }
  return window_tensor(values);
}

}  // namespace antler::ops
