#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/ops/axes.h"
#include "antler/ops/numpy/complex.h"

/// keras.ops.linalg: decompositions and solvers for matrices [..., m, n]. They compute in double
/// precision on the host and round to the dtype of the matrix (integers become default_float()).
/// Differentiable, except for lu_factor(), eig(), and complete or full factors. Throw a ValueError
/// that names function and shape if an argument is not a matrix, or not square where it must be.
/// Results that do not exist, such as the Cholesky factor of an indefinite matrix, are NaN.
namespace antler::ops {

/// Options of cholesky().
struct CholeskyOptions {
  bool upper = false;  ///< the factor is the upper one, u = l^T
};
/// The lower factor l with x = l l^T.
Tensor cholesky(const Tensor& x, CholeskyOptions options = {});
/// The inverse of the matrix with Cholesky factor x.
Tensor cholesky_inverse(const Tensor& x, CholeskyOptions options = {});
Tensor inv(const Tensor& x);
Tensor det(const Tensor& x);
/// log |det x|.
Tensor logdet(const Tensor& x);
/// Result of slogdet().
struct SlogDet {
  Tensor sign;
  Tensor log_abs;
};
SlogDet slogdet(const Tensor& x);
/// Solves a x = b for x; b [..., n, k] or [..., n].
Tensor solve(const Tensor& a, const Tensor& b);
/// Options of solve_triangular().
struct SolveTriangularOptions {
  bool lower = false;  ///< a is lower triangular
};
/// solve() with one triangle of a, the upper one by default; the other triangle is ignored.
Tensor solve_triangular(const Tensor& a, const Tensor& b, SolveTriangularOptions options = {});
/// Result of lu_factor().
struct LuFactors {
  Tensor lu;      ///< u, and below its diagonal l without its unit diagonal
  Tensor pivots;  ///< int32 [..., min(m, n)]: row i was swapped with row pivots[i]
};
LuFactors lu_factor(const Tensor& x);
/// Result of qr().
struct QrFactors {
  Tensor q;
  Tensor r;
};
/// `mode`: "reduced" (q [m, k], r [k, n] with k = min(m, n)) or "complete" (q [m, m], r [m, n]).
QrFactors qr(const Tensor& x, const std::string& mode = "reduced");
/// Result of eigh().
struct Eigh {
  Tensor values;   ///< [..., n], ascending
  Tensor vectors;  ///< columns
};
/// Eigenvalues and eigenvectors of a symmetric matrix, of which only the lower triangle is read.
Eigh eigh(const Tensor& x);
/// Result of eig().
struct Eig {
  Complex values;
  Complex vectors;  ///< columns
};
Eig eig(const Tensor& x);
/// Result of svd().
struct Svd {
  Tensor u;
  Tensor s;   ///< [..., min(m, n)], descending
  Tensor vt;  ///< x = u diag(s) vt
};
/// Options of svd().
struct SvdOptions {
  bool full_matrices = true;  ///< u [..., m, m] and vt [..., n, n]; else min(m, n) columns and rows
};
Svd svd(const Tensor& x, SvdOptions options = {});
/// Only the singular values.
Tensor singular_values(const Tensor& x);
/// The Moore-Penrose inverse. Singular values below `rcond` times the largest count as 0. Default
/// of `rcond`: 10 * max(m, n) * epsilon of the dtype.
Tensor pinv(const Tensor& x, std::optional<double> rcond = {});
/// Number of singular values above `tol`, int32. Default of `tol`: max(m, n) * epsilon * the
/// largest singular value.
Tensor matrix_rank(const Tensor& x, std::optional<double> tol = {});
/// The least-squares solution of a x = b with the smallest norm; b [m] or [m, k]. `rcond` as in
/// pinv(), but with default max(m, n) * epsilon.
Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond = {});

/// Norm over `axes` (default: all axes). Without `ord`, the square root of the sum of squares. A
/// vector norm (one axis) takes any `ord`, including infinities and 0 (the number of nonzeros); a
/// matrix norm (two axes) takes 1, -1, 2, -2 and infinities. Throws ValueError for any other.
Tensor norm(const Tensor& x, std::optional<double> ord = {}, const Axes& axes = {},
            ReduceOptions options = {});
/// Matrix norms by name: "fro" (Frobenius), "nuc" (nuclear).
Tensor named_norm(const Tensor& x, const std::string& ord, const Axes& axes = {},
                  ReduceOptions options = {});
/// The order of a norm: a number or a name.
class NormOrder {
 public:
  template <std::convertible_to<double> T>
  NormOrder(T number)  // NOLINT(google-explicit-constructor)
      : number_(static_cast<double>(number)) {}
  template <std::convertible_to<std::string> S>
  NormOrder(const S& name) : name_(name) {}  // NOLINT(google-explicit-constructor)
  const std::optional<double>& number() const { return number_; }
  const std::string& name() const { return name_; }

 private:
  std::optional<double> number_;
  std::string name_;
};
/// Options of norm(), in Keras's order.
struct NormOptions {
  std::optional<NormOrder> ord = {};  ///< as in norm()
  Axes axis = {};                     ///< default: all
  bool keepdims = false;              ///< keep the axes, with size 1
};
/// The same with all arguments by name.
// A template, so that other braces do not convert to options.
template <class = void>
Tensor norm(const Tensor& x, const NormOptions& options) {
  if (options.ord && !options.ord->number())
    return named_norm(x, options.ord->name(), options.axis, {options.keepdims});
  return norm(x, options.ord ? options.ord->number() : std::nullopt, options.axis,
              {options.keepdims});
}
ANTLER_KEYWORD_FUNCTION(norm, NormOptions, const Tensor&)
// A template, because g++ converts options in braces to the characters of a string.
template <std::convertible_to<std::string> S>
Tensor norm(const Tensor& x, const S& ord, const Axes& axes = {}, ReduceOptions options = {}) {
  return named_norm(x, ord, axes, options);
}

}  // namespace antler::ops
