#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"
#include "antler/ops/numpy/complex.h"

/// keras.ops.linalg: decompositions and solutions of matrices [..., m, n], computed in double on
/// the host and rounded to the dtype of the matrix (integers become float32). Differentiable, but
/// for lu_factor(), eig(), and complete or full factors. Throws ValueError naming function and
/// shape where a matrix is no matrix, or not square where it must be. What does not exist (the
/// factor of a matrix that is not positive definite) is NaN.
namespace antler::ops {

/// Lower factor l with x = l l^T; `upper`: its transpose.
Tensor cholesky(const Tensor& x, bool upper = false);
/// Inverse of the matrix whose factor x is.
Tensor cholesky_inverse(const Tensor& x, bool upper = false);
Tensor inv(const Tensor& x);
Tensor det(const Tensor& x);
/// log |det x|.
Tensor logdet(const Tensor& x);
struct SlogDet {
  Tensor sign;
  Tensor log_abs;
};
SlogDet slogdet(const Tensor& x);
/// x with a x = b; b [..., n, k] or [..., n].
Tensor solve(const Tensor& a, const Tensor& b);
/// solve() with one triangle of a, whatever stands in the other.
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool lower = false);
struct LuFactors {
  Tensor lu;      ///< l below the diagonal, whose ones are left out, and u
  Tensor pivots;  ///< int32 [..., min(m, n)]: row i was exchanged with row pivots[i]
};
LuFactors lu_factor(const Tensor& x);
struct QrFactors {
  Tensor q;
  Tensor r;
};
/// `mode`: "reduced" (q [m, k], r [k, n] with k = min(m, n)) or "complete" (q [m, m], r [m, n]).
QrFactors qr(const Tensor& x, const std::string& mode = "reduced");
struct Eigh {
  Tensor values;   ///< [..., n], ascending
  Tensor vectors;  ///< columns
};
/// Of a symmetric matrix; its lower triangle is looked at.
Eigh eigh(const Tensor& x);
struct Eig {
  Complex values;
  Complex vectors;  ///< columns
};
Eig eig(const Tensor& x);
struct Svd {
  Tensor u;
  Tensor s;   ///< [..., min(m, n)], descending
  Tensor vt;  ///< x = u diag(s) vt
};
Svd svd(const Tensor& x, bool full_matrices = true);
/// The singular values alone.
Tensor singular_values(const Tensor& x);
/// Moore and Penrose's inverse. Singular values below `rcond` times the largest count as 0; not
/// given: 10 * max(m, n) * the dtype's epsilon.
Tensor pinv(const Tensor& x, std::optional<double> rcond = {});
/// Number of singular values above `tol` (not given: max(m, n) * epsilon * the largest), int32.
Tensor matrix_rank(const Tensor& x, std::optional<double> tol = {});
/// The smallest x with least |a x - b|; b [m] or [m, k]. `rcond` as in pinv(), by default
/// max(m, n) * epsilon.
Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond = {});

/// Norm over `axes` (all where empty): without `ord`, the root of the sum of squares. Of one axis
/// that of any number, infinities and 0 (how many are not 0) included; of two axes 1, -1, 2, -2,
/// and infinities. Throws ValueError for another.
Tensor norm(const Tensor& x, std::optional<double> ord = {}, const Axes& axes = {},
            bool keepdims = false);
/// Norms by name: "fro", "nuc".
Tensor norm(const Tensor& x, const std::string& ord, const Axes& axes = {}, bool keepdims = false);

}  // namespace antler::ops
