#pragma once

#include <cstdint>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Reductions, scans, sorting. `axes` empty = all axes. Sums and products of bool and small
/// integers are made in int32 or uint32, as `keras.ops`; means of integers in float32.
namespace antler::ops {

Tensor sum(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor prod(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor max(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor min(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor any(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor all(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// Population variance (divides by the count).
Tensor variance(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor std(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
/// Index of the first maximum / minimum along `axis`, int32.
Tensor argmax(const Tensor& x, int64_t axis = -1, bool keepdims = false);
Tensor argmin(const Tensor& x, int64_t axis = -1, bool keepdims = false);

Tensor cumsum(const Tensor& x, int64_t axis, bool reverse = false, bool exclusive = false);
Tensor cumprod(const Tensor& x, int64_t axis, bool reverse = false, bool exclusive = false);
Tensor cummax(const Tensor& x, int64_t axis, bool reverse = false);
Tensor cummin(const Tensor& x, int64_t axis, bool reverse = false);

/// Stable sort along `axis`; NaN last.
Tensor sort(const Tensor& x, int64_t axis = -1, bool descending = false);
Tensor argsort(const Tensor& x, int64_t axis = -1, bool descending = false);
struct TopK {
  Tensor values;
  Tensor indices;  ///< int32
};
/// The k largest along the last axis, largest first, earlier index first among equals.
TopK top_k(const Tensor& x, int64_t k);

}  // namespace antler::ops
