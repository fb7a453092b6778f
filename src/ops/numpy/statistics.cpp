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

Tensor count_numbers(const Tensor& x, const Axes& axes, bool keepdims) {
  return sum(cast(logical_not(isnan(x)), x.dtype()), axes, keepdims);
}

/// NaN where all elements are NaN.
Tensor nan_if_all_nan(const Tensor& result, const Tensor& x, const Axes& axes, bool keepdims) {
  if (!is_floating(x.dtype())) return result;
  return where(all(isnan(x), axes, keepdims), std::numeric_limits<double>::quiet_NaN(), result);
}

constexpr double kInf = std::numeric_limits<double>::infinity();

/// -1 where all elements are NaN.
template <Tensor (*find)(const Tensor&, int64_t, bool)>
Tensor index_without_nan(const char* function, const Tensor& x, int64_t axis, bool keepdims,
                         double other) {
  Tensor index = find(without_nan(function, x, other), axis, keepdims);
  if (!is_floating(x.dtype())) return index;
  return where(all(isnan(x), {axis}, keepdims), scalar(-1, index.dtype()), index);
}

}  // namespace

Tensor sum(const std::vector<Tensor>& xs) { return xs.empty() ? zeros({}) : sum(stack(xs)); }

Tensor var(const Tensor& x, const Axes& axes, bool keepdims) { return variance(x, axes, keepdims); }

Tensor average(const Tensor& x, const Axes& axes, const Tensor& weights) {
  if (!weights.defined()) return mean(x, axes);
  const Tensor f = to_float("average", x);
  Tensor w = weights;
  if (w.rank() == 1 && f.rank() > 1 && axes.size() == 1) {
    Shape shape(std::vector<int64_t>(static_cast<size_t>(f.rank()), 1));
    shape[normalize_axis_of("average", axes[0], f.rank())] = w.dim(0);
    w = reshape(w, shape);
  }
  const Tensor whole = expand_to(to_dtype(w, promote_types(f.dtype(), w.dtype())), f.shape());
  return divide(sum(multiply(f, whole), axes), sum(whole, axes));
}

Tensor ptp(const Tensor& x, const Axes& axes, bool keepdims) {
  return subtract(max(x, axes, keepdims), min(x, axes, keepdims));
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
  const Tensor centred = subtract(f, mean(f, {1}, true));
  const Tensor products = matmul(centred, transpose(centred));
  const Tensor size = sqrt(sum(square(centred), {1}));
  const Tensor scaled = divide(divide(products, expand_dims(size, 1)), expand_dims(size, 0));
  return clip(scaled, -1, 1);
}

Tensor trapezoid(const Tensor& y, const Tensor& x, double dx, int64_t axis) {
  const Tensor f = to_float("trapezoid", y);
  const Shape& shape = known_shape("trapezoid", f);
  const int a = normalize_axis_of("trapezoid", axis, shape.rank());
  const int64_t n = shape[a];
  const Tensor means = multiply(add(slice_axis(f, a, 1, n), slice_axis(f, a, 0, n - 1)), 0.5);
  if (!x.defined()) return multiply(sum(means, {a}), dx);
  Tensor places = to_float("trapezoid", x);
  if (places.rank() == 1 && f.rank() > 1) {
    Shape column(std::vector<int64_t>(static_cast<size_t>(f.rank()), 1));
    column[a] = n;
    places = reshape(places, column);
  }
  const Tensor widths = subtract(slice_axis(places, a, 1, n), slice_axis(places, a, 0, n - 1));
  return sum(multiply(means, widths), {a});
}

Tensor nansum(const Tensor& x, const Axes& axes, bool keepdims) {
  return sum(without_nan("nansum", x, 0), axes, keepdims);
}
Tensor nanprod(const Tensor& x, const Axes& axes, bool keepdims) {
  return prod(without_nan("nanprod", x, 1), axes, keepdims);
}
Tensor nanmax(const Tensor& x, const Axes& axes, bool keepdims) {
  return nan_if_all_nan(max(without_nan("nanmax", x, -kInf), axes, keepdims), x, axes, keepdims);
}
Tensor nanmin(const Tensor& x, const Axes& axes, bool keepdims) {
  return nan_if_all_nan(min(without_nan("nanmin", x, kInf), axes, keepdims), x, axes, keepdims);
}
Tensor nanmean(const Tensor& x, const Axes& axes, bool keepdims) {
  const Tensor f = to_float("nanmean", x);
  return divide(nansum(f, axes, keepdims), count_numbers(f, axes, keepdims));
}
Tensor nanvar(const Tensor& x, const Axes& axes, bool keepdims) {
  const Tensor f = to_float("nanvar", x);
  const Tensor squares = square(subtract(f, nanmean(f, axes, true)));
  return divide(nansum(squares, axes, keepdims), count_numbers(f, axes, keepdims));
}
Tensor nanstd(const Tensor& x, const Axes& axes, bool keepdims) {
  return sqrt(nanvar(x, axes, keepdims));
}
Tensor nanargmax(const Tensor& x, int64_t axis, bool keepdims) {
  return index_without_nan<argmax>("nanargmax", x, axis, keepdims, -kInf);
}
Tensor nanargmin(const Tensor& x, int64_t axis, bool keepdims) {
  return index_without_nan<argmin>("nanargmin", x, axis, keepdims, kInf);
}
Tensor nancumsum(const Tensor& x, int64_t axis) {
  return cumsum(without_nan("nancumsum", x, 0), axis);
}
Tensor nancumprod(const Tensor& x, int64_t axis) {
  return cumprod(without_nan("nancumprod", x, 1), axis);
}

}  // namespace antler::ops
