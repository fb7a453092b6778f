#include "antler/ops/numpy/statistics.h"

#include <limits>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// Replaces NaN by `other`.
Tensor without_nan(const char* function, const Tensor& x, double other) {
  require_defined(function, x);
  if (!is_floating(x.dtype())) return to_dtype(x, x.dtype());
  return where(isnan(x), other, x);
}

Tensor count_numbers(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return sum(cast(logical_not(isnan(x)), x.dtype()), axes, options);
}

/// NaN where all elements are NaN.
Tensor nan_if_all_nan(const Tensor& result, const Tensor& x, const Axes& axes,
                      ReduceOptions options) {
  if (!is_floating(x.dtype())) return result;
  return where(all(isnan(x), axes, options), std::numeric_limits<double>::quiet_NaN(), result);
}

constexpr double kInf = std::numeric_limits<double>::infinity();

/// -1 where all elements are NaN.
template <Tensor (*find)(const Tensor&, std::optional<int64_t>, ReduceOptions)>
Tensor index_without_nan(const char* function, const Tensor& x, std::optional<int64_t> axis,
                         ReduceOptions options, double other) {
  Tensor index = find(without_nan(function, x, other), axis, options);
  if (!is_floating(x.dtype())) return index;
  const Axes axes = axis ? Axes{*axis} : Axes{};
  return where(all(isnan(x), axes, options), scalar(-1, index.dtype()), index);
}

}  // namespace

Tensor sum(const std::vector<Tensor>& xs) { return xs.empty() ? zeros({}) : sum(stack(xs)); }

Tensor var(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return variance(x, axes, options);
}

Tensor average(const Tensor& x, const Axes& axes, const AverageOptions& options) {
  if (!options.weights.defined()) return mean(x, axes);
  const Tensor f = to_float("average", x);
  Tensor w = options.weights;
  if (w.rank() == 1 && f.rank() > 1 && axes.size() == 1) {
    Shape shape(std::vector<int64_t>(static_cast<size_t>(f.rank()), 1));
    shape[normalize_axis_of("average", axes[0], f.rank())] = w.dim(0);
    w = reshape(w, shape);
  }
  const Tensor whole = expand_to(to_dtype(w, promote_types(f.dtype(), w.dtype())), f.shape());
  return divide(sum(multiply(f, whole), axes), sum(whole, axes));
}

Tensor ptp(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return subtract(max(x, axes, options), min(x, axes, options));
}

Tensor count_nonzero(const Tensor& x, const Axes& axes) {
  return sum(cast(not_equal(x, 0), DType::int32), axes);
}

Tensor corrcoef(const Tensor& x) {
  const Tensor f = to_float("corrcoef", x);
  if (f.rank() > 2 || f.rank() == 0) {
    throw ValueError("ops::corrcoef: expected a vector or a matrix. Received: x.shape={}.",
                     x.shape());
  }
  if (f.rank() == 1) return ones({}, f.dtype());
  const Tensor centered = subtract(f, mean(f, {1}, {.keepdims = true}));
  const Tensor products = matmul(centered, transpose(centered));
  const Tensor size = sqrt(sum(square(centered), {1}));
  const Tensor scaled = divide(divide(products, expand_dims(size, 1)), expand_dims(size, 0));
  return clip(scaled, -1, 1);
}

Tensor trapezoid(const Tensor& y, const TrapezoidOptions& o) {
  const Tensor f = to_float("trapezoid", y);
  const Shape& shape = known_shape("trapezoid", f);
  const int a = normalize_axis_of("trapezoid", o.axis, shape.rank());
  const int64_t n = shape[a];
  const Tensor means = multiply(add(slice_axis(f, a, 1, n), slice_axis(f, a, 0, n - 1)), 0.5);
  if (!o.x.defined()) return multiply(sum(means, {a}), o.dx);
  Tensor places = to_float("trapezoid", o.x);
  if (places.rank() == 1 && f.rank() > 1) {
    Shape column(std::vector<int64_t>(static_cast<size_t>(f.rank()), 1));
    column[a] = n;
    places = reshape(places, column);
  }
  const Tensor widths = subtract(slice_axis(places, a, 1, n), slice_axis(places, a, 0, n - 1));
  return sum(multiply(means, widths), {a});
}

Tensor nansum(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return sum(without_nan("nansum", x, 0), axes, options);
}
Tensor nanprod(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return prod(without_nan("nanprod", x, 1), axes, options);
}
Tensor nanmax(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return nan_if_all_nan(max(without_nan("nanmax", x, -kInf), axes, options), x, axes, options);
}
Tensor nanmin(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return nan_if_all_nan(min(without_nan("nanmin", x, kInf), axes, options), x, axes, options);
}
Tensor nanmean(const Tensor& x, const Axes& axes, ReduceOptions options) {
  const Tensor f = to_float("nanmean", x);
  return divide(nansum(f, axes, options), count_numbers(f, axes, options));
}
Tensor nanvar(const Tensor& x, const Axes& axes, ReduceOptions options) {
  const Tensor f = to_float("nanvar", x);
  const Tensor squares = square(subtract(f, nanmean(f, axes, {.keepdims = true})));
  return divide(nansum(squares, axes, options), count_numbers(f, axes, options));
}
Tensor nanstd(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return sqrt(nanvar(x, axes, options));
}
Tensor nanargmax(const Tensor& x, std::optional<int64_t> axis, ReduceOptions options) {
  return index_without_nan<argmax>("nanargmax", x, axis, options, -kInf);
}
Tensor nanargmin(const Tensor& x, std::optional<int64_t> axis, ReduceOptions options) {
  return index_without_nan<argmin>("nanargmin", x, axis, options, kInf);
}
Tensor nancumsum(const Tensor& x, std::optional<int64_t> axis) {
  return cumsum(without_nan("nancumsum", x, 0), axis);
}
Tensor nancumprod(const Tensor& x, std::optional<int64_t> axis) {
  return cumprod(without_nan("nancumprod", x, 1), axis);
}

}  // namespace antler::ops
