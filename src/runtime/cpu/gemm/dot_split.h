#pragma once

#include <cstdint>
#include <vector>

#include "runtime/cpu/gemm/dot_layout.h"

namespace antler::runtime {

/// One thread's share of a product: a range of m, n or k. Offsets are in elements from the start of
/// each matrix.
struct DotShare {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  int64_t lhs_offset = 0;
  int64_t rhs_offset = 0;
  int64_t result_offset = 0;
};

/// Splits a product with large weights into one share per thread, along the rows of the weights.
/// The other kernels of a step split arrays in the same order, so that each thread finds its part
/// of the weights, of their gradient and of the optimizer's state in its own caches. Otherwise
/// these move between cores in every step, which is slow if the cores share no cache. Benchmarks:
/// mlp and mlp128.
///
/// The weights are the largest of the three matrices, or the result of a product whose operands
/// both have k as their outer dimension (a weight gradient). Weight gradients are split in float32
/// only, because their shares need oneDNN's plain GEMM, which is slow in bfloat16. k is split
/// (split-K) in float32 only, and only if adding the partial results is cheap.
struct DotSplit {
  std::vector<DotShare> shares;  ///< empty: do not split
  bool split_k = false;          ///< shares are partial results of full size, to be added
};

DotSplit split_dot(const DotLayout& layout, int threads, bool is_float32);

}  // namespace antler::runtime
