#include "antler/ops/numpy/products.h"

#include <algorithm>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

namespace antler::ops {

Tensor dot(const Tensor& x, const Tensor& y) {
  require_defined("dot", x);
  require_defined("dot", y);
  if (x.rank() == 0 || y.rank() == 0) return multiply(x, y);
  return tensordot(x, y, {-1}, {y.rank() == 1 ? -1 : -2});
}

Tensor inner(const Tensor& x, const Tensor& y) {
  require_defined("inner", x);
  require_defined("inner", y);
  if (x.rank() == 0 || y.rank() == 0) return multiply(x, y);
  return tensordot(x, y, {-1}, {-1});
}

Tensor outer(const Tensor& x, const Tensor& y) {
  return multiply(reshape(x, {-1, 1}), reshape(y, {1, -1}));
}

Tensor vdot(const Tensor& x, const Tensor& y) { return tensordot(ravel(x), ravel(y), {0}, {0}); }

Tensor tensordot(const Tensor& x, const Tensor& y, const std::vector<int64_t>& x_axes,
                 const std::vector<int64_t>& y_axes) {
  if (x_axes.size() != y_axes.size()) {
    throw ValueError("ops::tensordot: expected as many axes of x as of y. Received: {} and {}.",
                     x_axes.size(), y_axes.size());
  }
  DotDims dims;
  for (const int64_t axis : x_axes) {
    dims.lhs_contract.push_back(normalize_axis_of("tensordot", axis, x.rank()));
  }
  for (const int64_t axis : y_axes) {
    dims.rhs_contract.push_back(normalize_axis_of("tensordot", axis, y.rank()));
  }
  return dot_general(x, y, dims);
}

Tensor kron(const Tensor& x, const Tensor& y) {
  const Shape& a = known_shape("kron", x);
  const Shape& b = known_shape("kron", y);
  const int rank = std::max(a.rank(), b.rank());
  Shape apart_x;
  Shape apart_y;
  Shape result;
  for (int d = 0; d < rank; ++d) {
    const int i = d - (rank - a.rank());
    const int j = d - (rank - b.rank());
    const int64_t n = i < 0 ? 1 : a[i];
    const int64_t m = j < 0 ? 1 : b[j];
    apart_x.push_back(n);
    apart_x.push_back(1);
    apart_y.push_back(1);
    apart_y.push_back(m);
    result.push_back(n * m);
  }
  return reshape(multiply(reshape(x, apart_x), reshape(y, apart_y)), result);
}

Tensor cross(const Tensor& x, const Tensor& y, const CrossOptions& o) {
  const Operands both{moveaxis(x, o.axis.value_or(o.axisa), -1),
                      moveaxis(y, o.axis.value_or(o.axisb), -1)};
  const int64_t n = both.x.dim(-1);
  const int64_t m = both.y.dim(-1);
  if (n < 2 || n > 3 || m < 2 || m > 3) {
    throw ValueError(
        "ops::cross: expected vectors with 2 or 3 elements. Received: x.shape={}, y.shape={}.",
        x.shape(), y.shape());
  }
  const auto part = [](const Tensor& v, int64_t i) {
    if (i >= v.dim(-1)) return zeros_like(squeeze(slice_axis(v, -1, 0, 1), -1));
    return squeeze(slice_axis(v, -1, i, i + 1), -1);
  };
  const auto component = [&](int64_t i, int64_t j) {
    return subtract(multiply(part(both.x, i), part(both.y, j)),
                    multiply(part(both.x, j), part(both.y, i)));
  };
  if (n == 2 && m == 2) return component(0, 1);
  return moveaxis(stack({component(1, 2), component(2, 0), component(0, 1)}, -1), -1,
                  o.axis.value_or(o.axisc));
}

Tensor correlate(const Tensor& x, const Tensor& y, const std::string& mode) {
  const Shape& a = known_shape("correlate", x);
  const Shape& b = known_shape("correlate", y);
  if (a.rank() != 1 || b.rank() != 1 || a[0] == 0 || b[0] == 0) {
    throw ValueError(
        "ops::correlate: expected two non-empty vectors. Received: x1.shape={}, "
        "x2.shape={}.",
        a, b);
  }
  if (mode != "valid" && mode != "same" && mode != "full") {
    throw ValueError("ops::correlate: `mode` must be 'valid', 'same' or 'full'. Received: mode={}.",
                     mode);
  }
  // As in Keras: float64 for int64, float32 for other integers.
  DType dtype = result_dtype({x, y});
  if (!is_floating(dtype)) dtype = dtype == DType::int64 ? DType::float64 : DType::float32;
  // The shorter vector is the kernel. If they are swapped, the result is reversed.
  const bool swapped = a[0] < b[0];
  const Tensor& longer = swapped ? y : x;
  const Tensor& kernel = swapped ? x : y;
  const int64_t n = longer.dim(0);
  const int64_t m = kernel.dim(0);
  int64_t low = 0;
  int64_t high = 0;
  if (mode == "full") low = high = m - 1;
  if (mode == "same") {
    low = m / 2;
    high = m - 1 - low;
    if (swapped) std::swap(low, high);
  }
  const Tensor products =
      conv(reshape(to_dtype(longer, dtype), {1, n, 1}), reshape(to_dtype(kernel, dtype), {m, 1, 1}),
           {.pad_low = {low}, .pad_high = {high}});
  const Tensor row = ravel(products);
  return swapped ? flip(row) : row;
}

Tensor cdist(const Tensor& x, const Tensor& y) {
  const Tensor difference =
      subtract(expand_dims(to_float("cdist", x), -2), expand_dims(to_float("cdist", y), -3));
  const Tensor squares = sum(square(difference), {-1});
  // The gradient of the root is infinite at 0.
  const Tensor apart = greater(squares, 0);
  return where(apart, sqrt(where(apart, squares, 1)), 0);
}

}  // namespace antler::ops
