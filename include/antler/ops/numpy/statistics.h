#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Averages, quantiles, correlations and histograms. Empty `axes` means all axes.
namespace antler::ops {

/// Weighted mean. `weights` has the shape of x, or [size of the axis] for a single axis.
Tensor average(const Tensor& x, const Axes& axes = {}, const Tensor& weights = {});
Tensor median(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
struct QuantileOptions {
  /// Between two elements: "linear", "lower", "higher", "midpoint" or "nearest".
  std::string method = "linear";
  bool keepdims = false;  ///< the reduced axes stay, with size 1
};
/// Quantiles `q`, [] or [n], in [0, 1]. Result shape: the shape of q, then the remaining axes of x.
Tensor quantile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                const QuantileOptions& options = {});
/// quantile() of q / 100.
Tensor percentile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                  const QuantileOptions& options = {});
Tensor nanmedian(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
Tensor nanquantile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                   const QuantileOptions& options = {});
Tensor nanpercentile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                     const QuantileOptions& options = {});
/// Maximum minus minimum.
Tensor ptp(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
/// Correlation coefficients of the rows of x [variables, observations].
Tensor corrcoef(const Tensor& x);

// Counting.
/// The bin i of each element, bins[i-1] <= x < bins[i]; int32.
Tensor digitize(const Tensor& x, const Tensor& bins);
/// Number of occurrences, or sum of `weights`, of each value in integers [n] or [batch, n]. Values
/// from `size` on are ignored. The default of `size` is the largest value + 1, and at least
/// `minlength`; a traced function cannot read that (ValueError).
Tensor bincount(const Tensor& x, const Tensor& weights = {}, int64_t minlength = 0,
                std::optional<int64_t> size = {});
struct Histogram {
  Tensor counts;  ///< [bins], with the dtype of the edges
  Tensor edges;   ///< [bins + 1]
};
/// Counts in bins of equal width over `range`, by default from the minimum to the maximum. The last
/// bin includes its upper edge.
Histogram histogram(const Tensor& x, int64_t bins = 10,
                    std::optional<std::pair<double, double>> range = {});

}  // namespace antler::ops
