#include "antler/ops/linalg.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

/// Functions defined in terms of decompositions.
namespace antler::ops {
namespace {

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return std::numeric_limits<double>::epsilon();
    case DType::float16:
      return 0x1p-10;
    case DType::bfloat16:
      return 0x1p-7;
    default:
      return std::numeric_limits<float>::epsilon();
  }
}

double larger_side(const Tensor& x) { return static_cast<double>(std::max(x.dim(-1), x.dim(-2))); }

Tensor identities_like(const Tensor& x) {
  return broadcast_to(eye(x.dim(-1), {}, 0, x.dtype()), x.shape());
}

/// The pseudo-inverse. Singular values up to `cutoff` times the largest count as 0.
Tensor pseudo_inverse(const Tensor& x, double cutoff) {
  const Svd parts = svd(x, {.full_matrices = false});
  const Tensor largest = slice_axis(parts.s, -1, 0, 1);
  const Tensor kept = greater(parts.s, multiply(largest, cutoff));
  const Tensor inverse = where(kept, reciprocal(where(kept, parts.s, 1)), 0);
  return matmul(multiply(swapaxes(parts.vt, -1, -2), expand_dims(inverse, -2)),
                swapaxes(parts.u, -1, -2));
}

}  // namespace

Tensor inv(const Tensor& x) {
  const Tensor f = to_float("inv", x);
  if (f.rank() < 2) return solve(f, f);  // throws
  return solve(f, identities_like(f));
}

Tensor cholesky_inverse(const Tensor& x, CholeskyOptions options) {
  const Tensor f = to_float("cholesky_inverse", x);
  const Tensor inverse = solve_triangular(f, identities_like(f), {.lower = !options.upper});
  const Tensor other = swapaxes(inverse, -1, -2);
  return options.upper ? matmul(inverse, other) : matmul(other, inverse);
}

Tensor det(const Tensor& x) {
  const SlogDet parts = slogdet(x);
  return multiply(parts.sign, exp(parts.log_abs));
}

Tensor logdet(const Tensor& x) { return slogdet(x).log_abs; }

Tensor singular_values(const Tensor& x) { return svd(x, {.full_matrices = false}).s; }

Tensor pinv(const Tensor& x, std::optional<double> rcond) {
  const Tensor f = to_float("pinv", x);
  return pseudo_inverse(f, rcond.value_or(10 * larger_side(f) * epsilon_of(f.dtype())));
}

Tensor matrix_rank(const Tensor& x, std::optional<double> tol) {
  const Tensor f = to_float("matrix_rank", x);
  const Tensor s = singular_values(f);
  const Tensor limit =
      tol ? Tensor(*tol)
          : multiply(max(s, {-1}, {.keepdims = true}), larger_side(f) * epsilon_of(f.dtype()));
  return sum(cast(greater(s, limit), DType::int32), {-1});
}

Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond) {
  require_defined("lstsq", b);
  const Tensor f = to_float("lstsq", a);
  if (f.rank() != 2 || b.rank() < 1 || b.rank() > 2 || b.dim(0) != f.dim(0)) {
    throw ValueError(
        "ops::lstsq: expected a [m, n] and b [m] or [m, k]. Received: a.shape={}, b.shape={}.",
        a.shape(), b.shape());
  }
  return matmul(pseudo_inverse(f, rcond.value_or(larger_side(f) * epsilon_of(f.dtype()))), b);
}

namespace {

Tensor vector_norm(const Tensor& x, double ord, int64_t axis, ReduceOptions options) {
  const Tensor size = absolute(x);
  if (ord == std::numeric_limits<double>::infinity()) return max(size, {axis}, options);
  if (ord == -std::numeric_limits<double>::infinity()) return min(size, {axis}, options);
  if (ord == 0) return sum(cast(not_equal(x, 0), x.dtype()), {axis}, options);
  if (ord == 1) return sum(size, {axis}, options);
  if (ord == 2) return sqrt(sum(square(x), {axis}, options));
  return power(sum(power(size, ord), {axis}, options), 1 / ord);
}

/// Moves two axes to the end.
Tensor as_matrices(const Tensor& x, int64_t rows, int64_t columns) {
  std::vector<int64_t> order;
  for (int d = 0; d < x.rank(); ++d) {
    if (d != rows && d != columns) order.push_back(d);
  }
  order.push_back(rows);
  order.push_back(columns);
  return transpose(x, order);
}

Tensor restore_axes(const Tensor& result, const Axes& axes, ReduceOptions options) {
  if (!options.keepdims) return result;
  Tensor y = result;
  for (const int64_t axis : {std::min(axes[0], axes[1]), std::max(axes[0], axes[1])}) {
    y = expand_dims(y, axis);
  }
  return y;
}

[[noreturn]] void fail_order(const std::string& ord, size_t axes) {
  throw ValueError("ops::norm: there is no norm of order {} over {} axes.", ord, axes);
}

Axes axes_in_order(const Tensor& x, const Axes& axes) {
  Axes result;
  for (const int64_t axis : axes) result.push_back(normalize_axis_of("norm", axis, x.rank()));
  for (int64_t d = 0; axes.empty() && d < x.rank(); ++d) result.push_back(d);
  return result;
}

}  // namespace

Tensor norm(const Tensor& x, std::optional<double> ord, const Axes& axes, ReduceOptions options) {
  const Tensor f = to_float("norm", x);
  if (!ord) return sqrt(sum(square(f), axes, options));
  const Axes over = axes_in_order(f, axes);
  if (over.size() == 1) return vector_norm(f, *ord, over[0], options);
  if (over.size() != 2) fail_order(format("{}", *ord), over.size());
  if (std::abs(*ord) == 2) {
    const Tensor s = singular_values(as_matrices(f, over[0], over[1]));
    return restore_axes(*ord > 0 ? max(s, {-1}) : min(s, {-1}), over, options);
  }
  const bool by_columns = std::abs(*ord) == 1;
  if (!by_columns && !std::isinf(*ord)) fail_order(format("{}", *ord), 2);
  const Tensor sums = sum(absolute(f), {by_columns ? over[0] : over[1]}, {.keepdims = true});
  return *ord > 0 ? max(sums, over, options) : min(sums, over, options);
}

Tensor named_norm(const Tensor& x, const std::string& ord, const Axes& axes,
                  ReduceOptions options) {
  const Tensor f = to_float("norm", x);
  const Axes over = axes_in_order(f, axes);
  if (over.size() != 2 || (ord != "fro" && ord != "nuc")) {
    fail_order("'" + ord + "'", over.size());
  }
  if (ord == "fro") return sqrt(sum(square(f), over, options));
  return restore_axes(sum(singular_values(as_matrices(f, over[0], over[1])), {-1}), over, options);
}

}  // namespace antler::ops
