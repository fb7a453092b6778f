#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"

/// Sorting and searching. Functions whose result has as many elements as the data say take a size;
/// without it they read the data, which a traced function cannot (ValueError).
namespace antler::ops {

/// Stable sort along `axis`; NaN last.
Tensor sort(const Tensor& x, int64_t axis = -1, bool descending = false);
Tensor argsort(const Tensor& x, int64_t axis = -1, bool descending = false);
/// Indices along `axis` with that of the kth smallest at its place, smaller ones before it.
Tensor argpartition(const Tensor& x, int64_t kth, int64_t axis = -1);
struct TopK {
  Tensor values;
  Tensor indices;  ///< int32
};
/// The k largest along the last axis, largest first, earlier index first among equals.
TopK top_k(const Tensor& x, int64_t k);
/// Whether the target class is among the k largest of predictions [batch, classes]; equals count as
/// reached.
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k);

/// Place of each value in an ascending vector: before equal ones ("left") or after them ("right").
/// int32.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, const std::string& side = "left");
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
/// Coordinates of flat indices in an array of `shape`, one tensor for each dimension.
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape);

}  // namespace antler::ops
