#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

/// Sorting and searching. Where the size of the result depends on the data, a traced function must
/// give it, because it cannot read the data (ValueError).
namespace antler::ops {

/// Options of sort().
struct SortOptions {
  bool descending = false;  ///< largest first
};
/// Stable sort along `axis`, NaN last.
Tensor sort(const Tensor& x, int64_t axis = -1, SortOptions options = {});
Tensor argsort(const Tensor& x, int64_t axis = -1, SortOptions options = {});
/// Indices that partition along `axis`: the kth smallest element is in its sorted position, and
/// smaller elements come before it.
Tensor argpartition(const Tensor& x, int64_t kth, int64_t axis = -1);
/// Result of top_k().
struct TopK {
  Tensor values;
  Tensor indices;  ///< int32
};
/// The k largest elements along the last axis in descending order; ties by ascending index.
TopK top_k(const Tensor& x, int64_t k);
/// Whether the target class is among the k largest of predictions [batch, classes]; ties count.
/// False for targets that are not classes; negative ones count from the end.
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k);

/// Insertion point of each value in an ascending vector, before ("left") or after ("right") equal
/// elements; int32. NaN is greater than all numbers.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, const std::string& side = "left");
/// Options of isin().
struct IsinOptions {
  bool invert = false;  ///< true where an element does not occur
};
/// Whether each element of x occurs in y.
Tensor isin(const Tensor& x, const Tensor& y, IsinOptions options = {});
/// Result of unique().
struct Unique {
  Tensor values;   ///< [n], ascending; with an axis, n slices of x along it
  Tensor indices;  ///< int32 [n]: first occurrence in the flattened x, or along the axis
  Tensor inverse;  ///< int32: index into values of each element, shape of x, or of each slice
  Tensor counts;   ///< int32 [n]
};
/// Options of unique().
struct UniqueOptions {
  std::optional<int64_t> axis = {};       ///< compare slices along it; default: elements
  std::optional<int64_t> size = {};       ///< the results are cut or padded to it
  std::optional<double> fill_value = {};  ///< of the padding; default: the smallest value
};
/// The distinct elements of x, or its distinct slices along `axis`, in lexicographic order. Padding
/// to `size` has count 0.
Unique unique(const Tensor& x, const UniqueOptions& options = {});
ANTLER_KEYWORD_FUNCTION(unique, UniqueOptions, const Tensor&)
/// Coordinates of the nonzero elements: one int32 tensor per dimension. Not for traced functions.
std::vector<Tensor> nonzero(const Tensor& x);
/// Coordinates of flat indices into an array of `shape`: one tensor per dimension.
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape);

}  // namespace antler::ops
