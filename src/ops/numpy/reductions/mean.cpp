
#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// Half-precision types are averaged in float32: sums overflow in float16 and lose small terms in
/// bfloat16.
DType statistics_dtype(DType dtype) { return dtype == DType::float64 ? dtype : DType::float32; }

/// Number of elements per result.
double count(const char* function, const Tensor& x, const Axes& axes) {
  double n = 1;
  for (int64_t d : normalize_axes(function, axes, x.rank())) {
    const int64_t size = x.shape()[static_cast<int>(d)];
    if (size == Shape::kUnknown) {
      throw ValueError(
          "ops::{}: the size of axis {} must be known. Received: x.shape={}. Put the computation "
          "into the `call` of a layer instead.",
          function, d, x.shape());
    }
    n *= static_cast<double>(size);
  }
  return n;
}

}  // namespace

Tensor mean(const Tensor& x, const Axes& axes, ReduceOptions options) {
  const Tensor f = to_float("mean", x);
  const Tensor wide = cast(f, statistics_dtype(f.dtype()));
  return cast(divide(sum(wide, axes, options), count("mean", x, axes)), f.dtype());
}

Tensor variance(const Tensor& x, const Axes& axes, ReduceOptions options) {
  const Tensor f = to_float("variance", x);
  const Tensor wide = cast(f, statistics_dtype(f.dtype()));
  const Tensor centered = subtract(wide, mean(wide, axes, {.keepdims = true}));
  return cast(mean(square(centered), axes, options), f.dtype());
}

Tensor std(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return sqrt(variance(x, axes, options));
}

Tensor logsumexp(const Tensor& x, const Axes& axes, ReduceOptions options) {
  const Tensor f = to_float("logsumexp", x);
  // Subtracts the maximum, so that exp() is at most 1. The result does not depend on it, so it
  // needs no gradient. An infinite maximum is not subtracted.
  const auto finite = [](const Tensor& m) { return where(isfinite(m), m, 0); };
  const Tensor top = finite(stop_gradient(max(f, axes, {.keepdims = true})));
  const Tensor total = log(sum(exp(subtract(f, top)), axes, {.keepdims = true}));
  const Tensor result = add(total, top);
  return options.keepdims ? result : sum(result, axes);  // sum() drops dimensions of size 1
}

}  // namespace antler::ops
