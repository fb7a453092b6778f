#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Reductions and cumulative functions. Empty `axes` means all axes. As in `keras.ops`, sums and
/// products of booleans and small integers are int32 or uint32, and means of integers
/// default_float().
namespace antler::ops {

Tensor sum(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
/// The sum of all elements of tensors of the same shape, such as `model.losses()`; 0 for none.
Tensor sum(const std::vector<Tensor>& xs);
Tensor prod(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor max(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor min(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
/// max() and min() under NumPy's other names.
inline Tensor amax(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {}) {
  return max(x, axes, options);
}
inline Tensor amin(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {}) {
  return min(x, axes, options);
}
Tensor any(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor all(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
/// The count is int32.
Tensor count_nonzero(const Tensor& x, const Axes& axes = {});
Tensor mean(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
/// Population variance (divides by the count).
Tensor variance(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
/// The same as variance().
Tensor var(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor std(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor logsumexp(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
/// Index of the first maximum or minimum along `axis`, int32. Without an axis: its index in the
/// flattened array.
Tensor argmax(const Tensor& x, std::optional<int64_t> axis = {}, ReduceOptions options = {});
Tensor argmin(const Tensor& x, std::optional<int64_t> axis = {}, ReduceOptions options = {});
/// Options of trapezoid().
struct TrapezoidOptions {
  Tensor x = {};      ///< sample points, with the shape of y or [size of the axis]
  double dx = 1;      ///< distance between points if `x` is undefined
  int64_t axis = -1;  ///< of the integral
};
/// Integral along an axis by the trapezoidal rule.
Tensor trapezoid(const Tensor& y, const TrapezoidOptions& options = {});
ANTLER_KEYWORD_FUNCTION(trapezoid, TrapezoidOptions, const Tensor&)

/// NaN is ignored. If all elements are NaN: 0 for sums, 1 for products, index -1, else NaN.
Tensor nansum(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor nanprod(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor nanmax(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor nanmin(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor nanmean(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor nanvar(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor nanstd(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor nanargmax(const Tensor& x, std::optional<int64_t> axis = {}, ReduceOptions options = {});
Tensor nanargmin(const Tensor& x, std::optional<int64_t> axis = {}, ReduceOptions options = {});
Tensor nancumsum(const Tensor& x, std::optional<int64_t> axis = {});
Tensor nancumprod(const Tensor& x, std::optional<int64_t> axis = {});

// Cumulative functions.
/// Options of cumsum(), cumprod().
struct CumulativeOptions {
  bool reverse = false;    ///< from the last element to the first
  bool exclusive = false;  ///< each result leaves out its own element; the first is 0 or 1
};
/// Options of cummax(), cummin().
struct CumulativeExtremumOptions {
  bool reverse = false;  ///< from the last element to the first
};
/// Running sums, products, maxima and minima along an axis. Without an axis, sums and products are
/// over the flattened array.
Tensor cumsum(const Tensor& x, std::optional<int64_t> axis = {}, CumulativeOptions options = {});
Tensor cumprod(const Tensor& x, std::optional<int64_t> axis = {}, CumulativeOptions options = {});
Tensor cummax(const Tensor& x, int64_t axis, CumulativeExtremumOptions options = {});
Tensor cummin(const Tensor& x, int64_t axis, CumulativeExtremumOptions options = {});
/// Differences of neighbors along `axis`, applied n times. For booleans: whether they differ.
Tensor diff(const Tensor& x, int64_t n = 1, int64_t axis = -1);

// Segments.
/// Combines the rows of `data` with equal segment_ids [n] into [segments, ...]. Ids outside of the
/// range are ignored. The default of `segments` is the largest id + 1; a traced function cannot
/// read that (ValueError). Empty segments are 0, 1, and the lowest and the highest number of the
/// dtype.
Tensor segment_sum(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> segments = {});
Tensor segment_prod(const Tensor& data, const Tensor& segment_ids,
                    std::optional<int64_t> segments = {});
Tensor segment_max(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> segments = {});
Tensor segment_min(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> segments = {});

}  // namespace antler::ops
