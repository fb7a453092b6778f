#pragma once

#include <cstdint>

#include "runtime/cpu/gemm/micro_kernel.h"

/// Single-threaded GEMM with packed panels (as in BLIS): the loops around the micro-kernel.
namespace antler::runtime {

/// C[m, n] (+)= A[m, k] B[k, n]. Element (i, p) of A is at a[i * a_row_stride + p * a_col_stride];
/// likewise for B. Rows of C are contiguous. C must not overlap A or B.
template <class T>
struct GemmBlock {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  const T* a = nullptr;
  int64_t a_row_stride = 0;
  int64_t a_col_stride = 0;
  const T* b = nullptr;
  int64_t b_row_stride = 0;
  int64_t b_col_stride = 0;
  T* c = nullptr;
  int64_t c_row_stride = 0;
  bool accumulate = false;
  /// B as packed by gemm_pack_b(). Null: gemm_block() packs what it needs.
  const T* b_packed = nullptr;
  int64_t b_packed_row_stride = 0;  ///< gemm_packed_columns() of the packed B
  int64_t b_packed_column = 0;      ///< column of the packed B at which the block begins
};

/// Elements of workspace that gemm_block() needs.
template <class T>
int64_t gemm_workspace(int64_t m, int64_t n, int64_t k);

/// Whether gemm_block() packs B for these sizes. Blocks with the same B can then share a packed
/// copy.
template <class T>
bool gemm_packs_b(const GemmBlock<T>& block);
/// Columns of a packed B, including padding.
template <class T>
int64_t gemm_packed_columns(int64_t n);
/// Packs columns [begin, end) of B into `to`, the packed B of k * gemm_packed_columns(n) elements.
/// `begin` is a multiple of MicroKernels<T>::columns().
template <class T>
void gemm_pack_b(const GemmBlock<T>& block, int64_t begin, int64_t end, T* to);

/// Computes a block. Splitting m or n does not change the bits of the result. T: float, double.
template <class T>
void gemm_block(const GemmBlock<T>& block, T* workspace);

}  // namespace antler::runtime
