// Only this file includes Eigen, whose headers are slow to compile.
#include "ops/linalg/dense_solvers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace antler::ops::dense {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using In = Eigen::Map<const RowMajor>;
using Out = Eigen::Map<RowMajor>;
using Columns = Eigen::MatrixXd;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void cholesky(int64_t n, const double* a, double* l) {
  const Eigen::LLT<Columns> factor(In(a, n, n));
  Out result(l, n, n);
  if (factor.info() == Eigen::Success) {
    result = factor.matrixL();
  } else {
    result.setConstant(kNan);
  }
}

void solve_triangular(int64_t n, int64_t k, const double* a, const double* b, bool lower,
                      double* x) {
  Out result(x, n, k);
  const In matrix(a, n, n);
  if (lower) {
    result = matrix.triangularView<Eigen::Lower>().solve(In(b, n, k));
  } else {
    result = matrix.triangularView<Eigen::Upper>().solve(In(b, n, k));
  }
}

void solve(int64_t n, int64_t k, const double* a, const double* b, double* x) {
  Out(x, n, k) = Eigen::PartialPivLU<Columns>(In(a, n, n)).solve(In(b, n, k));
}

void slogdet(int64_t n, const double* a, double* sign, double* log_abs) {
  *sign = 1;
  *log_abs = 0;
  if (n == 0) return;
  const Eigen::PartialPivLU<Columns> factor(In(a, n, n));
  *sign = static_cast<double>(factor.permutationP().determinant());
  for (int64_t i = 0; i < n; ++i) {
    const double pivot = factor.matrixLU()(i, i);
    *log_abs += std::log(std::abs(pivot));
    if (pivot == 0) *sign = 0;
    if (pivot < 0) *sign = -*sign;
  }
}

void lu(int64_t m, int64_t n, const double* a, double* factors, double* pivots) {
  Out f(factors, m, n);
  f = In(a, m, n);
  for (int64_t i = 0; i < std::min(m, n); ++i) {
    int64_t best = i;
    for (int64_t r = i + 1; r < m; ++r) {
      if (std::abs(f(r, i)) > std::abs(f(best, i))) best = r;
    }
    pivots[i] = static_cast<double>(best);
    if (best != i) f.row(i).swap(f.row(best));
    if (f(i, i) == 0) continue;
    for (int64_t r = i + 1; r < m; ++r) {
      f(r, i) /= f(i, i);
      for (int64_t c = i + 1; c < n; ++c) f(r, c) -= f(r, i) * f(i, c);
    }
  }
}

void qr(int64_t m, int64_t n, const double* a, bool complete, double* q, double* r) {
  const Eigen::HouseholderQR<Columns> factor(In(a, m, n));
  const int64_t k = complete ? m : std::min(m, n);
  Out(q, m, k) = factor.householderQ() * Columns::Identity(m, k);
  Out upper(r, k, n);
  upper = factor.matrixQR().topRows(k).triangularView<Eigen::Upper>();
}

void eigh(int64_t n, const double* a, double* w, double* v) {
  const Eigen::SelfAdjointEigenSolver<Columns> solver(In(a, n, n));
  const bool found = solver.info() == Eigen::Success;
  for (int64_t i = 0; i < n; ++i) w[i] = found ? solver.eigenvalues()(i) : kNan;
  if (found) {
    Out(v, n, n) = solver.eigenvectors();
  } else {
    Out(v, n, n).setConstant(kNan);
  }
}

void eig(int64_t n, const double* a, double* w_real, double* w_imag, double* v_real,
         double* v_imag) {
  const Eigen::EigenSolver<Columns> solver(In(a, n, n));
  const bool found = solver.info() == Eigen::Success;
  for (int64_t i = 0; i < n; ++i) {
    w_real[i] = found ? solver.eigenvalues()(i).real() : kNan;
    w_imag[i] = found ? solver.eigenvalues()(i).imag() : kNan;
  }
  if (found) {
    Out(v_real, n, n) = solver.eigenvectors().real();
    Out(v_imag, n, n) = solver.eigenvectors().imag();
  } else {
    Out(v_real, n, n).setConstant(kNan);
    Out(v_imag, n, n).setConstant(kNan);
  }
}

void svd(int64_t m, int64_t n, const double* a, bool full, double* u, double* s, double* vt) {
  const unsigned parts =
      full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::JacobiSVD<Columns> factor(In(a, m, n), parts);
  const int64_t k = std::min(m, n);
  if (factor.info() != Eigen::Success) {  // NaN or infinity
    std::fill_n(s, k, kNan);
    Out(u, m, full ? m : k).setConstant(kNan);
    Out(vt, full ? n : k, n).setConstant(kNan);
    return;
  }
  for (int64_t i = 0; i < k; ++i) s[i] = factor.singularValues()(i);
  Out(u, m, full ? m : k) = factor.matrixU();
  Out(vt, full ? n : k, n) = factor.matrixV().transpose();
}

}  // namespace antler::ops::dense
