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
};

/// Elements of workspace that gemm_block needs for a block of this size.
template <class T>
int64_t gemm_workspace(int64_t m, int64_t n, int64_t k);

/// Computes a block. The sums do not depend on where the block lies in a larger product: any split
/// of m and n gives the same bits. T: float, double.
template <class T>
void gemm_block(const GemmBlock<T>& block, T* workspace);

}  // namespace antler::runtime
