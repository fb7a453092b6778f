#include <cmath>
#include <limits>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "antler/ops/numpy/statistics.h"
#include "ops/support.h"

/// Quantiles.
namespace antler::ops {
namespace {

/// The elements with the reduced axes flattened to one leading axis and sorted: [n, rest...].
struct Sorted {
  Tensor values = {};
  int64_t count = 1;
  Shape kept = {};  ///< the shape of the result, without q
};

Sorted sorted_along(const char* function, const Tensor& x, const Axes& axes, bool keepdims) {
  const Shape& shape = known_shape(function, x);
  const ir::Ints reduced = normalize_axes(function, axes, shape.rank());
  std::vector<int64_t> order(reduced.begin(), reduced.end());
  Sorted result;
  Shape flat{1};
  for (const int64_t d : reduced) result.count *= shape[static_cast<int>(d)];
  flat[0] = result.count;
  size_t next = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    if (next < reduced.size() && reduced[next] == d) {
      ++next;
      if (keepdims) result.kept.push_back(1);
      continue;
    }
    order.push_back(d);
    flat.push_back(shape[d]);
    result.kept.push_back(shape[d]);
  }
  result.values = sort(reshape(transpose(to_float(function, x), order), flat), 0);
  return result;
}

/// Interpolates `sorted` [n, rest...] at fractional positions [q, rest...].
Tensor at_places(const char* function, const Tensor& sorted, const Tensor& places,
                 const std::string& method) {
  const auto element = [&](const Tensor& index) {
    return take_along_axis(sorted, cast(index, DType::int32), 0);
  };
  Tensor low = element(floor(places));
  Tensor high = element(ceil(places));
  if (method == "lower") return low;
  if (method == "higher") return high;
  if (method == "midpoint") return multiply(add(low, high), 0.5);
  // Ties go to the lower element, as in JAX.
  if (method == "nearest") return element(ceil(subtract(places, 0.5)));
  if (method != "linear") {
    throw ValueError(
        "ops::{}: `method` must be 'linear', 'lower', 'higher', 'midpoint' or 'nearest'. Received: "
        "method={}.",
        function, method);
  }
  const Tensor part = subtract(places, floor(places));
  // 0 * infinity must not produce NaN.
  return where(equal(part, 0), low, add(multiply(low, subtract(1, part)), multiply(high, part)));
}

/// Reshapes `q` to [size, 1, ...], to broadcast to [n, rest...].
Tensor column_of(const char* function, const Tensor& q, DType dtype, int rank) {
  require_defined(function, q);
  if (q.rank() > 1) {
    throw ValueError("ops::{}: `q` must be a number or a vector. Received: q.shape={}.", function,
                     q.shape());
  }
  Shape shape(std::vector<int64_t>(static_cast<size_t>(rank), 1));
  shape[0] = q.rank() == 0 ? 1 : q.dim(0);
  return reshape(to_dtype(q, dtype), shape);
}

Tensor with_shape(const Tensor& result, const Tensor& q, const Shape& kept) {
  Shape shape = q.shape();
  for (const int64_t d : kept) shape.push_back(d);
  return reshape(result, shape);
}

Shape places_shape(const Tensor& sorted, const Tensor& column) {
  Shape shape = sorted.shape();
  shape[0] = column.dim(0);
  return shape;
}

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Tensor quantile(const Tensor& x, const Tensor& q, const Axes& axes,
                const QuantileOptions& options) {
  const Sorted s = sorted_along("quantile", x, axes, options.keepdims);
  const Tensor column = column_of("quantile", q, s.values.dtype(), s.values.rank());
  const Tensor places = broadcast_to(multiply(column, static_cast<double>(s.count - 1)),
                                     places_shape(s.values, column));
  const Tensor result = at_places("quantile", s.values, places, options.method);
  // NaN is sorted last.
  const Tensor last = slice_axis(s.values, 0, s.count - 1, s.count);
  return with_shape(where(isnan(last), kNotANumber, result), q, s.kept);
}

Tensor nanquantile(const Tensor& x, const Tensor& q, const Axes& axes,
                   const QuantileOptions& options) {
  const Sorted s = sorted_along("nanquantile", x, axes, options.keepdims);
  const DType dtype = s.values.dtype();
  const Tensor column = column_of("nanquantile", q, dtype, s.values.rank());
  const Tensor numbers = sum(cast(logical_not(isnan(s.values)), dtype), {0}, {.keepdims = true});
  const Tensor places = broadcast_to(multiply(column, maximum(subtract(numbers, 1), 0)),
                                     places_shape(s.values, column));
  return with_shape(at_places("nanquantile", s.values, places, options.method), q, s.kept);
}

Tensor percentile(const Tensor& x, const Tensor& q, const Axes& axes,
                  const QuantileOptions& options) {
  return quantile(x, divide(q, 100), axes, options);
}
Tensor nanpercentile(const Tensor& x, const Tensor& q, const Axes& axes,
                     const QuantileOptions& options) {
  return nanquantile(x, divide(q, 100), axes, options);
}
Tensor median(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return quantile(x, 0.5, axes, {.method = "midpoint", .keepdims = options.keepdims});
}
Tensor nanmedian(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return nanquantile(x, 0.5, axes, {.method = "midpoint", .keepdims = options.keepdims});
}

Tensor argpartition(const Tensor& x, int64_t kth, int64_t axis) {
  const Shape& shape = known_shape("argpartition", x);
  const int a = normalize_axis_of("argpartition", axis, shape.rank());
  if (kth < -shape[a] || kth >= shape[a]) {
    throw ValueError("ops::argpartition: `kth` is out of range. Received: kth={}, x.shape={}.", kth,
                     shape);
  }
  return argsort(x, a);
}

}  // namespace antler::ops
