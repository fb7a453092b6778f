#pragma once

#include <cstdint>

/// Decompositions of one dense matrix of doubles, row-major. Results that do not exist are NaN.
namespace antler::ops::dense {

/// a [n, n] = l l^T. Reads the lower triangle of a.
void cholesky(int64_t n, const double* a, double* l);
/// a x = b for b [n, k]. Reads one triangle of a.
void solve_triangular(int64_t n, int64_t k, const double* a, const double* b, bool lower,
                      double* x);
/// a x = b for b [n, k].
void solve(int64_t n, int64_t k, const double* a, const double* b, double* x);
/// Sign of the determinant, and logarithm of its absolute value.
void slogdet(int64_t n, const double* a, double* sign, double* log_abs);
/// a [m, n] with permuted rows = l u, both in one matrix. Row i was swapped with row pivots[i].
void lu(int64_t m, int64_t n, const double* a, double* factors, double* pivots);
/// a [m, n] = q r; q [m, k], r [k, n], with k = m if `complete`, else min(m, n).
void qr(int64_t m, int64_t n, const double* a, bool complete, double* q, double* r);
/// a [n, n] = v diag(w) v^T with ascending w. Reads the lower triangle of a.
void eigh(int64_t n, const double* a, double* w, double* v);
/// a v = v diag(w) with complex v and w.
void eig(int64_t n, const double* a, double* w_real, double* w_imag, double* v_real,
         double* v_imag);
/// a [m, n] = u diag(s) vt with descending s. u [m, k], vt [k, n] with k = min(m, n), or u [m, m]
/// and vt [n, n] if `full`.
void svd(int64_t m, int64_t n, const double* a, bool full, double* u, double* s, double* vt);

}  // namespace antler::ops::dense
