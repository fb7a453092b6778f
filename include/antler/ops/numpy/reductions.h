#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Reductions and scans. `axes` empty = all axes. Sums and products of bool and small
/// integers are made in int32 or uint32, as `keras.ops`; means of integers in float32.
namespace antler::ops {

Tensor sum(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// Of all elements of tensors of one shape, as `model.losses()` are; of none 0.
Tensor sum(const std::vector<Tensor>& xs);
Tensor prod(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor max(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor min(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// max() and min() under NumPy's other names.
inline Tensor amax(const Tensor& x, const Axes& axes = {}, bool keepdims = false) {
  return max(x, axes, keepdims);
}
inline Tensor amin(const Tensor& x, const Axes& axes = {}, bool keepdims = false) {
  return min(x, axes, keepdims);
}
Tensor any(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor all(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// int32.
Tensor count_nonzero(const Tensor& x, const Axes& axes = {});
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// Population variance (divides by the count).
Tensor variance(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// Population variance.
Tensor var(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor std(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// Index of the first maximum / minimum along `axis`, int32.
Tensor argmax(const Tensor& x, int64_t axis = -1, bool keepdims = false);
Tensor argmin(const Tensor& x, int64_t axis = -1, bool keepdims = false);
/// Integral along `axis` by the trapezoidal rule, at the places `x` (of y's shape, or [size of the
/// axis]), or `dx` apart.
Tensor trapezoid(const Tensor& y, const Tensor& x = {}, double dx = 1, int64_t axis = -1);

// NaN left out. Of nothing but NaN: 0, 1 of sums and products, NaN of the others, index -1.
Tensor nansum(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor nanprod(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor nanmax(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor nanmin(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor nanmean(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor nanvar(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor nanstd(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor nanargmax(const Tensor& x, int64_t axis = -1, bool keepdims = false);
Tensor nanargmin(const Tensor& x, int64_t axis = -1, bool keepdims = false);
Tensor nancumsum(const Tensor& x, int64_t axis);
Tensor nancumprod(const Tensor& x, int64_t axis);

// Along an axis.
Tensor cumsum(const Tensor& x, int64_t axis, bool reverse = false, bool exclusive = false);
Tensor cumprod(const Tensor& x, int64_t axis, bool reverse = false, bool exclusive = false);
Tensor cummax(const Tensor& x, int64_t axis, bool reverse = false);
Tensor cummin(const Tensor& x, int64_t axis, bool reverse = false);
/// Differences of neighbours along `axis`, n times; of booleans, whether they differ.
Tensor diff(const Tensor& x, int64_t n = 1, int64_t axis = -1);

// Segments.
/// Rows of `data` with equal numbers in segment_ids [n] combined, [segments, ...]; numbers outside
/// are left out. Segments of nothing: 0, 1, the least and the greatest number of the dtype.
Tensor segment_sum(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> segments = {});
Tensor segment_prod(const Tensor& data, const Tensor& segment_ids,
                    std::optional<int64_t> segments = {});
Tensor segment_max(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> segments = {});
Tensor segment_min(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> segments = {});

}  // namespace antler::ops
