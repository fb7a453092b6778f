#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Averages, quantiles, correlations and histograms. Empty `axes` means all axes.
namespace antler::ops {

/// Options of average().
struct AverageOptions {
  Tensor weights = {};  ///< with the shape of x, or [size of the axis] for a single axis
};
/// Weighted mean.
Tensor average(const Tensor& x, const Axes& axes = {}, const AverageOptions& options = {});
Tensor median(const Tensor& x, const Axes& axes = {}, ReduceOptions options = {});
/// Options of quantile().
struct QuantileOptions {
  /// Between two elements: "linear", "lower", "higher", "midpoint" or "nearest".
  std::string method = "linear";
  bool keepdims = false;  ///< keep the reduced axes, with size 1
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
/// Options of bincount().
struct BincountOptions {
  Tensor weights = {};    ///< with the shape of x; added up instead of counting
  int64_t minlength = 0;  ///< minimum length of the result
  /// Length of the result; other values are ignored. Default: the largest value + 1, and at least
  /// `minlength`; a traced function cannot read that (ValueError).
  std::optional<int64_t> size = {};
};
/// Number of occurrences of each value in integers [n] or [batch, n].
Tensor bincount(const Tensor& x, const BincountOptions& options = {});
ANTLER_KEYWORD_FUNCTION(bincount, BincountOptions, const Tensor&)
/// Result of histogram().
struct Histogram {
  Tensor counts;  ///< [bins], with the dtype of the edges
  Tensor edges;   ///< [bins + 1]
};
/// Counts in bins of equal width over `range`, by default from the minimum to the maximum. The last
/// bin includes its upper edge.
Histogram histogram(const Tensor& x, int64_t bins = 10,
                    std::optional<std::pair<double, double>> range = {});

}  // namespace antler::ops
