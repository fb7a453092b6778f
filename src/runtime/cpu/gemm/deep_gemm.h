#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cpu/gemm/gemm_block.h"

namespace antler::runtime {

/// A matrix product C = A B with a small C and a long sum, as the filter gradient of a convolution
/// over many pixels: the sum is cut into parts, so that each operand is read once. The number of
/// parts depends on sizes alone, so the result does not depend on the number of threads.
/// T: float, double.
template <class T>
class DeepGemm {
 public:
  static bool serves(const GemmBlock<T>& block);
  /// Sizes and strides as in `block`; its pointers are not used.
  DeepGemm(const GemmBlock<T>& block, int threads);

  size_t scratch_bytes() const;
  /// `scratch`: scratch_bytes() bytes, 64-byte aligned.
  void run(const T* a, const T* b, T* c, void* scratch) const;

 private:
  GemmBlock<T> block_;
  int threads_;
  int64_t parts_;
  int64_t part_size_;  // elements of one part's C
  int64_t workspace_;  // elements, per thread
};

}  // namespace antler::runtime
