#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/cpu/gemm/gemm_block.h"

namespace antler::runtime {

/// A batch of equal matrix products C[i] = A[i] B[i], prepared once and shared out to threads. The
/// result does not depend on the number of threads.
template <class T>
class Gemm {
 public:
  /// Where the matrices of a batch begin, in elements from the pointers of run().
  struct Batch {
    std::vector<int64_t> a = {0};
    std::vector<int64_t> b = {0};
    std::vector<int64_t> c = {0};
  };

  Gemm() = default;
  /// Sizes and strides as in `block`; its pointers are not used.
  Gemm(const GemmBlock<T>& block, Batch batch, int threads);

  size_t scratch_bytes() const;
  /// `scratch`: scratch_bytes() bytes, 64-byte aligned.
  void run(const T* a, const T* b, T* c, void* scratch) const;

 private:
  void cut(int64_t wanted, bool rows_first);
  /// Whether all tasks read one copy of B, made before them.
  bool shares_b() const { return packed_ > 0; }

  GemmBlock<T> block_;
  Batch batch_;
  int threads_ = 1;
  int64_t rows_ = 1;     // height of one task's part of C
  int64_t columns_ = 1;  // and its width
  int64_t row_parts_ = 1;
  int64_t column_parts_ = 1;
  int64_t workspace_ = 0;  // elements, per thread
  int64_t packed_ = 0;     // elements of the shared copy of B
};

}  // namespace antler::runtime
