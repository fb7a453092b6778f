#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

/// Matrix products and other sums of products.
namespace antler::ops {

/// The contracted (summed) dimensions and the batch dimensions of the operands of dot_general().
struct DotDims {
  std::vector<int64_t> lhs_contract;
  std::vector<int64_t> rhs_contract;
  std::vector<int64_t> lhs_batch = {};
  std::vector<int64_t> rhs_batch = {};
};
/// StableHLO's dot_general: sums products over the contracted dimensions. Result: batch dimensions,
/// free dimensions of `x`, free dimensions of `y`.
Tensor dot_general(const Tensor& x, const Tensor& y, const DotDims& dims);
/// [..., m, k] x [..., k, n]. Leading dimensions broadcast; operands of rank 1 are vectors.
Tensor matmul(const Tensor& x, const Tensor& y);
/// Contracts the last `axes` dimensions of x with the first `axes` of y.
Tensor tensordot(const Tensor& x, const Tensor& y, int64_t axes);
/// Options of tensordot().
struct TensordotOptions {
  int64_t axes = 2;  ///< number of axes to contract
};
/// The same by name.
inline Tensor tensordot(const Tensor& x, const Tensor& y, const TensordotOptions& options = {}) {
  return tensordot(x, y, options.axes);
}
/// Contracts x_axes[i] of x with y_axes[i] of y.
Tensor tensordot(const Tensor& x, const Tensor& y, const std::vector<int64_t>& x_axes,
                 const std::vector<int64_t>& y_axes);
/// NumPy's einsum, "abc,cd->abd", of any number of operands, which are contracted from left to
/// right. "..." stands for dimensions without a label. Without "->", the output has the labels that
/// occur once, in alphabetical order. A label that occurs twice in an operand takes its diagonal.
/// Dimensions of size 1 are broadcast.
/// Throws ValueError for malformed equations and for wrong ranks.
Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands);
/// `einsum("ij,jk->ik", x, y)`: operands one by one.
template <std::convertible_to<Tensor>... T>
requires(sizeof...(T) > 0) Tensor einsum(const std::string& equation, const T&... operands) {
  return einsum(equation, std::vector<Tensor>{operands...});
}

/// numpy.dot: contracts the last axis of x with the second to last (or only) axis of y.
Tensor dot(const Tensor& x, const Tensor& y);
/// Contracts the last axes of both.
Tensor inner(const Tensor& x, const Tensor& y);
/// Products of all pairs of elements: [size of x, size of y].
Tensor outer(const Tensor& x, const Tensor& y);
/// Dot product of the flattened arrays; a scalar.
Tensor vdot(const Tensor& x, const Tensor& y);
/// Kronecker product: the size of dimension i is the product of both sizes, the index of x major.
Tensor kron(const Tensor& x, const Tensor& y);
/// Options of cross(): the axes that hold the elements of the vectors.
struct CrossOptions {
  int64_t axisa = -1;                ///< of x
  int64_t axisb = -1;                ///< of y
  int64_t axisc = -1;                ///< of the result
  std::optional<int64_t> axis = {};  ///< replaces all three
};
/// Cross product of vectors with 2 or 3 elements. For two vectors with 2 elements: only the third
/// component.
Tensor cross(const Tensor& x, const Tensor& y, const CrossOptions& options = {});
ANTLER_KEYWORD_FUNCTION(cross, CrossOptions, const Tensor&, const Tensor&)
/// Cross-correlation of two vectors. `mode`: "valid", "same" or "full".
Tensor correlate(const Tensor& x, const Tensor& y, const std::string& mode = "valid");
/// Euclidean distances between the rows of x [..., n, d] and those of y [..., m, d]: [..., n, m].
Tensor cdist(const Tensor& x, const Tensor& y);

}  // namespace antler::ops
