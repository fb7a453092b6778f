#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Averages, quantiles, correlations and histograms. `axes` empty = all axes.
namespace antler::ops {

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
Tensor nanmedian(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor nanquantile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                   const std::string& method = "linear", bool keepdims = false);
Tensor nanpercentile(const Tensor& x, const Tensor& q, const Axes& axes = {},
                     const std::string& method = "linear", bool keepdims = false);
/// Greatest minus least.
Tensor ptp(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// Correlation coefficients of the rows of x [variables, observations].
Tensor corrcoef(const Tensor& x);

// Counting.
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

}  // namespace antler::ops
