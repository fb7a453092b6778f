#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ops/reduce.h"

/// Statistics, counting and searching of keras.ops, as formulas of reduce.h. `axes` empty = all
/// axes. Functions whose result has as many elements as the data say take a size; without it they
/// read the data, which a traced function cannot (ValueError).
namespace antler::ops {

/// max() and min() under NumPy's other names.
inline Tensor amax(const Tensor& x, const Axes& axes = {}, bool keepdims = false) {
  return max(x, axes, keepdims);
}
inline Tensor amin(const Tensor& x, const Axes& axes = {}, bool keepdims = false) {
  return min(x, axes, keepdims);
}
/// Of all elements of tensors of one shape, as `model.losses()` are; of none 0.
Tensor sum(const std::vector<Tensor>& xs);
/// Population variance.
Tensor var(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// Mean of x times `weights`, of the shape of x or [size of the one axis].
Tensor average(const Tensor& x, const Axes& axes = {}, const Tensor& weights = {});
Tensor median(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// The value below which the part `q` (in [0, 1], [] or [n]) of the elements lies: shape of q, then
/// what is left of x. `method`: "linear", "lower", "higher", "midpoint", "nearest".
Tensor quantile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                const std::string& method = "linear", bool keepdims = false);
/// quantile() of q / 100.
Tensor percentile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                  const std::string& method = "linear", bool keepdims = false);
/// Greatest minus least.
Tensor ptp(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// int32.
Tensor count_nonzero(const Tensor& x, const Axes& axes = {});
/// Correlation coefficients of the rows of x [variables, observations].
Tensor corrcoef(const Tensor& x);
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
Tensor nanmedian(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor nanquantile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                   const std::string& method = "linear", bool keepdims = false);
Tensor nanpercentile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                     const std::string& method = "linear", bool keepdims = false);
Tensor nanargmax(const Tensor& x, int64_t axis = -1, bool keepdims = false);
Tensor nanargmin(const Tensor& x, int64_t axis = -1, bool keepdims = false);
Tensor nancumsum(const Tensor& x, int64_t axis);
Tensor nancumprod(const Tensor& x, int64_t axis);

// Counting and searching.
/// Place of each value in an ascending vector: before equal ones ("left") or after them ("right").
/// int32.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, const std::string& side = "left");
/// Number of the bin of each element: i where bins[i-1] <= x < bins[i]. int32.
Tensor digitize(const Tensor& x, const Tensor& bins);
/// How often each number from 0 on occurs in integers [n] or [batch, n], or the sum of its
/// `weights`. `size` numbers, larger ones left out; without it as many as the largest asks for,
/// `minlength` at least.
Tensor bincount(const Tensor& x, const Tensor& weights = {}, int64_t minlength = 0,
                std::optional<int64_t> size = {});
struct Histogram {
  Tensor counts;  ///< [bins], of the dtype of the edges
  Tensor edges;   ///< [bins + 1]
};
/// Counts in bins of equal width over `range`, or from the least to the greatest element. The last
/// bin holds its upper edge.
Histogram histogram(const Tensor& x, int64_t bins = 10,
                    std::optional<std::pair<double, double>> range = {});
/// Whether each element of x is among those of y.
Tensor isin(const Tensor& x, const Tensor& y, bool invert = false);
struct Unique {
  Tensor values;   ///< ascending, [n]; with an axis n of x's slices along it
  Tensor indices;  ///< of the first occurrence in the row of all elements, or along the axis: int32
                   ///< [n]
  Tensor inverse;  ///< which value each element is, int32 of x's shape; or each slice, int32 [size]
  Tensor counts;   ///< int32 [n]
};
/// The distinct elements of x, or its distinct slices along `axis`, in lexicographic order. With
/// `size` so many of them; missing ones are `fill_value` (the least one where not given) with count
/// 0.
Unique unique(const Tensor& x, std::optional<int64_t> size = {},
              std::optional<double> fill_value = {}, std::optional<int64_t> axis = {});
/// Coordinates of the elements that are not 0, one int32 tensor for each dimension. Of values only.
std::vector<Tensor> nonzero(const Tensor& x);
/// Indices along `axis` with that of the kth smallest at its place, smaller ones before it.
Tensor argpartition(const Tensor& x, int64_t kth, int64_t axis = -1);
/// Whether the target class is among the k largest of predictions [batch, classes]; equals count as
/// reached.
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k);

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
