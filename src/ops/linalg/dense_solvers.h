#pragma once

#include <cstdint>

/// Decompositions of one dense matrix of doubles, row-major. Results that do not exist are NaN.
namespace antler::ops::dense {

/// a [n, n] = l l^T, of the lower triangle of a.
void cholesky(int64_t n, const double* a, double* l);
/// a x = b for b [n, k]; of a triangle of a alone.
void solve_triangular(int64_t n, int64_t k, const double* a, const double* b, bool lower,
                      double* x);
/// a x = b for b [n, k].
void solve(int64_t n, int64_t k, const double* a, const double* b, double* x);
/// Sign and logarithm of the absolute value of the determinant.
void slogdet(int64_t n, const double* a, double* sign, double* log_abs);
/// a [m, n] with rows exchanged = l u, both in one matrix; row i was exchanged with pivots[i].
void lu(int64_t m, int64_t n, const double* a, double* factors, double* pivots);
/// a [m, n] = q r; q [m, k], r [k, n], k = m where `complete`, else min(m, n).
void qr(int64_t m, int64_t n, const double* a, bool complete, double* q, double* r);
/// a [n, n] = v diag(w) v^T, of the lower triangle of a; w ascends.
void eigh(int64_t n, const double* a, double* w, double* v);
/// a v = v diag(w), both complex.
void eig(int64_t n, const double* a, double* w_real, double* w_imag, double* v_real,
         double* v_imag);
/// a [m, n] = u diag(s) vt; s descends. u [m, k], vt [k, n] with k = min(m, n), or [m, m] and
/// [n, n] where `full`.
void svd(int64_t m, int64_t n, const double* a, bool full, double* u, double* s, double* vt);

}  // namespace antler::ops::dense
