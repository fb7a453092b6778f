#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/ops/axes.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "antler/ops/numpy/statistics.h"

/// Reductions and statistics with arguments by name.
namespace antler::ops {

/// The arguments of reductions by name.
struct ReduceArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Axes axis = {};         ///< one or several; default: all
  bool keepdims = false;  ///< keep the reduced axes, with size 1
};

// Templates, so that `sum(x, {})` and `sum(x, {-1})` still select the overloads with axes by
// position.
#define ANTLER_REDUCTION(reduce)                                                   \
  template <class Arguments = ReduceArguments>                                     \
  Tensor reduce(const Tensor& x, const std::type_identity_t<Arguments>& by_name) { \
    return reduce(x, by_name.axis, {.keepdims = by_name.keepdims});                \
  }                                                                                \
  ANTLER_KEYWORD_FUNCTION(reduce, ReduceArguments, const Tensor&)
ANTLER_REDUCTION(sum)
ANTLER_REDUCTION(prod)
ANTLER_REDUCTION(max)
ANTLER_REDUCTION(min)
ANTLER_REDUCTION(amax)
ANTLER_REDUCTION(amin)
ANTLER_REDUCTION(any)
ANTLER_REDUCTION(all)
ANTLER_REDUCTION(mean)
ANTLER_REDUCTION(variance)
ANTLER_REDUCTION(var)
ANTLER_REDUCTION(std)
ANTLER_REDUCTION(logsumexp)
ANTLER_REDUCTION(nansum)
ANTLER_REDUCTION(nanprod)
ANTLER_REDUCTION(nanmax)
ANTLER_REDUCTION(nanmin)
ANTLER_REDUCTION(nanmean)
ANTLER_REDUCTION(nanvar)
ANTLER_REDUCTION(nanstd)
ANTLER_REDUCTION(median)
ANTLER_REDUCTION(nanmedian)
ANTLER_REDUCTION(ptp)
#undef ANTLER_REDUCTION

/// The arguments of argmax() and argmin() by name.
struct ArgExtremumArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> axis = {};  ///< of the search; default: the flattened array
  bool keepdims = false;             ///< keep the axis, with size 1
};
inline Tensor argmax(const Tensor& x, const ArgExtremumArguments& by_name) {
  return argmax(x, by_name.axis, {.keepdims = by_name.keepdims});
}
ANTLER_KEYWORD_FUNCTION(argmax, ArgExtremumArguments, const Tensor&)
inline Tensor argmin(const Tensor& x, const ArgExtremumArguments& by_name) {
  return argmin(x, by_name.axis, {.keepdims = by_name.keepdims});
}
ANTLER_KEYWORD_FUNCTION(argmin, ArgExtremumArguments, const Tensor&)
inline Tensor nanargmax(const Tensor& x, const ArgExtremumArguments& by_name) {
  return nanargmax(x, by_name.axis, {.keepdims = by_name.keepdims});
}
ANTLER_KEYWORD_FUNCTION(nanargmax, ArgExtremumArguments, const Tensor&)
inline Tensor nanargmin(const Tensor& x, const ArgExtremumArguments& by_name) {
  return nanargmin(x, by_name.axis, {.keepdims = by_name.keepdims});
}
ANTLER_KEYWORD_FUNCTION(nanargmin, ArgExtremumArguments, const Tensor&)

/// The arguments of average() by name.
struct AverageArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Axes axis = {};       ///< one or several; default: all
  Tensor weights = {};  ///< with the shape of x, or [size of the axis] for a single axis
};
template <class Arguments = AverageArguments>
Tensor average(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return average(x, by_name.axis, {.weights = by_name.weights});
}
ANTLER_KEYWORD_FUNCTION(average, AverageArguments, const Tensor&)

/// The arguments of quantile() and similar functions by name.
struct QuantileArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Axes axis = {};                 ///< one or several; default: all
  std::string method = "linear";  ///< see QuantileOptions
  bool keepdims = false;          ///< keep the reduced axes, with size 1
};
template <class Arguments = QuantileArguments>
Tensor quantile(const Tensor& x, const Tensor& q, const std::type_identity_t<Arguments>& by_name) {
  return quantile(x, q, by_name.axis, {.method = by_name.method, .keepdims = by_name.keepdims});
}
ANTLER_KEYWORD_FUNCTION(quantile, QuantileArguments, const Tensor&, const Tensor&)
template <class Arguments = QuantileArguments>
Tensor percentile(const Tensor& x, const Tensor& q,
                  const std::type_identity_t<Arguments>& by_name) {
  return percentile(x, q, by_name.axis, {.method = by_name.method, .keepdims = by_name.keepdims});
}
ANTLER_KEYWORD_FUNCTION(percentile, QuantileArguments, const Tensor&, const Tensor&)
template <class Arguments = QuantileArguments>
Tensor nanquantile(const Tensor& x, const Tensor& q,
                   const std::type_identity_t<Arguments>& by_name) {
  return nanquantile(x, q, by_name.axis, {.method = by_name.method, .keepdims = by_name.keepdims});
}
ANTLER_KEYWORD_FUNCTION(nanquantile, QuantileArguments, const Tensor&, const Tensor&)
template <class Arguments = QuantileArguments>
Tensor nanpercentile(const Tensor& x, const Tensor& q,
                     const std::type_identity_t<Arguments>& by_name) {
  return nanpercentile(x, q, by_name.axis,
                       {.method = by_name.method, .keepdims = by_name.keepdims});
}
ANTLER_KEYWORD_FUNCTION(nanpercentile, QuantileArguments, const Tensor&, const Tensor&)

/// The arguments of histogram() by name.
struct HistogramArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t bins = 10;                                    ///< number of bins
  std::optional<std::pair<double, double>> range = {};  ///< default: from minimum to maximum
};
inline Histogram histogram(const Tensor& x, const HistogramArguments& by_name) {
  return histogram(x, by_name.bins, by_name.range);
}
ANTLER_KEYWORD_FUNCTION(histogram, HistogramArguments, const Tensor&)

}  // namespace antler::ops
