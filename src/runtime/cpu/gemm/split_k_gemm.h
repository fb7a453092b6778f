#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cpu/gemm/gemm_block.h"

namespace antler::runtime {

/// Split-K matrix product: C = A B with a small C and a large k, for example the filter gradient of
/// a 1 x 1 convolution. k is split into parts, so that each operand is read once, and the results
/// of the parts are added. The number of parts depends on sizes only, so the result does not depend
/// on the number of threads, as it does in oneDNN. T: float, double. Benchmarks: mobilenet and
/// bottlenecks of tools/peers/bench_models.py.
template <class T>
class SplitKGemm {
 public:
  /// Whether k is large enough for split-K to pay.
  static bool accepts(const GemmBlock<T>& block);
  /// Takes sizes and strides from `block`, not its pointers.
  SplitKGemm(const GemmBlock<T>& block, int threads);

  size_t scratch_bytes() const;
  /// `scratch`: scratch_bytes() bytes, 64-byte aligned.
  void run(const T* a, const T* b, T* c, void* scratch) const;

 private:
  GemmBlock<T> block_;
  int threads_;
  int64_t parts_;
  int64_t part_size_;       // elements of one part's C
  int64_t workspace_size_;  // elements, per thread
};

}  // namespace antler::runtime
