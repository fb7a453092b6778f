#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/tensor.h"

/// Matrix products and other sums of products.
namespace antler::ops {

struct DotDims {
  std::vector<int64_t> lhs_contract;
  std::vector<int64_t> rhs_contract;
  std::vector<int64_t> lhs_batch = {};
  std::vector<int64_t> rhs_batch = {};
};
/// Sum of products over the contracted dimensions. Result: batch dimensions, free dimensions of
/// `x`, free dimensions of `y`. StableHLO's dot_general.
Tensor dot_general(const Tensor& x, const Tensor& y, const DotDims& dims);
/// NumPy's matmul: [..., m, k] x [..., k, n], leading dimensions broadcast, rank 1 operands as
/// vectors.
Tensor matmul(const Tensor& x, const Tensor& y);
/// Contracts the last `axes` dimensions of x with the first `axes` of y.
Tensor tensordot(const Tensor& x, const Tensor& y, int64_t axes);
/// Contracts the axes of x with those of y, pair by pair.
Tensor tensordot(const Tensor& x, const Tensor& y, const std::vector<int64_t>& x_axes,
                 const std::vector<int64_t>& y_axes);
/// Sum of products over the labels that the output does not have: "abc,cd->abd"; of any number of
/// operands, contracted from left to right. "..." stands for dimensions that the equation does not
/// name; without "->" the output has the labels that occur once, in alphabetical order; a label
/// twice in one operand takes its diagonal. Throws ValueError for equations that are not of this
/// form, or that do not fit the ranks.
Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands);

/// numpy.dot: the last axis of x with the last but one of y (its only one).
Tensor dot(const Tensor& x, const Tensor& y);
/// The last axes of both.
Tensor inner(const Tensor& x, const Tensor& y);
/// All elements of x with all of y, [size of x, size of y].
Tensor outer(const Tensor& x, const Tensor& y);
/// Sum of products of all elements, [].
Tensor vdot(const Tensor& x, const Tensor& y);
/// Kronecker's product: dimension i has the size of both, x's index before y's.
Tensor kron(const Tensor& x, const Tensor& y);
/// Vector product of vectors of 2 or 3 numbers along an axis of each; of two of 2, the third number
/// alone.
Tensor cross(const Tensor& x, const Tensor& y, int64_t x_axis = -1, int64_t y_axis = -1,
             int64_t result_axis = -1);
/// Sums of products of two vectors that slide along each other. `mode`: "valid", "same", "full".
Tensor correlate(const Tensor& x, const Tensor& y, const std::string& mode = "valid");
/// Distances of the rows of x [..., n, d] from those of y [..., m, d]: [..., n, m].
Tensor cdist(const Tensor& x, const Tensor& y);

}  // namespace antler::ops
