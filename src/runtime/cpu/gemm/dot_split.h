#pragma once

#include <cstdint>
#include <vector>

#include "runtime/cpu/gemm/dot_layout.h"

namespace antler::runtime {

/// The share of one thread in a product: a block of rows or columns of the result, or of the terms
/// of its sums. Places are elements from the start of each matrix.
struct DotShare {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  int64_t lhs_at = 0;
  int64_t rhs_at = 0;
  int64_t result_at = 0;
};

/// Cuts one product into a share for each thread so that every thread touches the same part of the
/// weights as in the other kernels of a program, which share out memory from its start to its end:
/// a thread then finds its part of the weights, of their gradient and of the optimizer's state in
/// its own caches. Where cores share no cache these would travel from one to the other in each
/// step. Weights are told by size, the largest of the three matrices, or are what comes out of two
/// operands whose rows are terms; the latter are cut in float32 only, as oneDNN's plain product is
/// not as fast as its others in bfloat16. Sums are cut in float32 only too, and where adding up the
/// parts costs little beside what it saves.
struct DotSplit {
  std::vector<DotShare> shares;  ///< empty: no weights, too small, or several products
  bool of_terms = false;         ///< each share is a whole result, and the result is their sum
};

DotSplit split_dot(const DotLayout& layout, int threads, bool is_float32);

}  // namespace antler::runtime
