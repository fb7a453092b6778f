#pragma once

#include <cstdint>

#include "runtime/cpu/gemm/micro_kernel.h"

/// Matrix products on one thread, by packed panels: the levels between the whole product and the
/// micro kernel.
namespace antler::runtime {

/// C[m, n] (+)= A[m, k] B[k, n]. Element (i, p) of A is at a[i * a_row + p * a_column], of B
/// likewise; rows of C are contiguous. C must not overlap A or B.
template <class T>
struct GemmBlock {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  const T* a = nullptr;
  int64_t a_row = 0;
  int64_t a_column = 0;
  const T* b = nullptr;
  int64_t b_row = 0;
  int64_t b_column = 0;
  T* c = nullptr;
  int64_t c_row = 0;
  bool accumulate = false;
  /// The whole B as gemm_pack_b() wrote it; null: gemm_block() copies what it needs.
  const T* b_packed = nullptr;
  int64_t b_packed_row = 0;     ///< gemm_packed_row() of the whole B
  int64_t b_packed_column = 0;  ///< where in it the block begins
};

/// Elements of workspace that gemm_block needs for a block of this size.
template <class T>
int64_t gemm_workspace(int64_t m, int64_t n, int64_t k);

/// Whether a product of these sizes reads B from a copy: then several blocks that differ in their
/// rows alone can share one.
template <class T>
bool gemm_packs_b(const GemmBlock<T>& block);
/// Elements of one row of a packed B of `n` columns.
template <class T>
int64_t gemm_packed_row(int64_t n);
/// Copies columns [begin, end) of B; `begin` is a multiple of MicroKernels<T>::columns(). `to` has
/// k * gemm_packed_row(n) elements.
template <class T>
void gemm_pack_b(const GemmBlock<T>& block, int64_t begin, int64_t end, T* to);

/// Computes a block. The sums do not depend on where the block lies in a larger product: any split
/// of m and n gives the same bits. T: float, double.
template <class T>
void gemm_block(const GemmBlock<T>& block, T* workspace);

}  // namespace antler::runtime
