#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

/// Composites of reductions.
namespace antler::ops {
namespace {

/// The half types are averaged in float32: their sums overflow (float16) or lose the small terms
/// (bfloat16).
DType statistics_dtype(DType dtype) { return dtype == DType::float64 ? dtype : DType::float32; }

/// Elements that one result is made of.
double count(const char* function, const Tensor& x, const Axes& axes) {
  double n = 1;
  for (int64_t d : normalize_axes(function, axes, x.rank())) {
    const int64_t size = x.shape()[static_cast<int>(d)];
    if (size == Shape::kUnknown) {
      throw ValueError(std::string("ops::") + function + ": the size of axis " + std::to_string(d) +
                       " must be known. Received: x.shape=" + x.shape().str() +
                       ". Put the computation into the `call` of a layer instead.");
    }
    n *= static_cast<double>(size);
  }
  return n;
}

}  // namespace

Tensor mean(const Tensor& x, const Axes& axes, bool keepdims) {
  const Tensor f = to_float("mean", x);
  const Tensor wide = cast(f, statistics_dtype(f.dtype()));
  return cast(divide(sum(wide, axes, keepdims), count("mean", x, axes)), f.dtype());
}

Tensor variance(const Tensor& x, const Axes& axes, bool keepdims) {
  const Tensor f = to_float("variance", x);
  const Tensor wide = cast(f, statistics_dtype(f.dtype()));
  const Tensor centred = subtract(wide, mean(wide, axes, true));
  return cast(mean(square(centred), axes, keepdims), f.dtype());
}

Tensor std(const Tensor& x, const Axes& axes, bool keepdims) {
  return sqrt(variance(x, axes, keepdims));
}

Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdims) {
  const Tensor f = to_float("logsumexp", x);
  // The largest element is taken out so that exp() stays below 1. It is a constant for the
  // gradient, since it cancels; an infinite one stays inside.
  const auto finite = [](const Tensor& m) { return where(isfinite(m), m, 0); };
  const Tensor top = finite(stop_gradient(max(f, axes, true)));
  const Tensor total = log(sum(exp(subtract(f, top)), axes, true));
  const Tensor result = add(total, top);
  return keepdims ? result : sum(result, axes);  // drops dimensions of size 1
}

}  // namespace antler::ops
