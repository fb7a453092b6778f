#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/cpu/gemm/gemm_block.h"

namespace antler::runtime {

/// A batch of matrix products C[i] = A[i] B[i] of equal sizes, split over threads by tiles of C.
/// The result does not depend on the number of threads. Used for products of fewer than a million
/// multiply-adds, for which a oneDNN call costs too much, and for all products under
/// `deterministic`. Benchmarks: mlp_tiny and lstm.
template <class T>
class Gemm {
 public:
  /// Offset of each matrix of the batch, in elements, from the pointers given to run().
  struct Batch {
    std::vector<int64_t> a = {0};
    std::vector<int64_t> b = {0};
    std::vector<int64_t> c = {0};
  };

  Gemm() = default;
  /// Takes sizes and strides from `block`, not its pointers.
  Gemm(const GemmBlock<T>& block, Batch batch, int threads);

  size_t scratch_bytes() const;
  /// `scratch`: scratch_bytes() bytes, 64-byte aligned.
  void run(const T* a, const T* b, T* c, void* scratch) const;

 private:
  void choose_tiles(int64_t count, bool rows_first);
  /// Whether B is packed once for all tiles.
  bool shares_b() const { return packed_size_ > 0; }

  GemmBlock<T> block_;
  Batch batch_;
  int threads_ = 1;
  int64_t rows_ = 1;  // of a tile of C
  int64_t columns_ = 1;
  int64_t row_tiles_ = 1;
  int64_t column_tiles_ = 1;
  int64_t workspace_size_ = 0;  // elements, per thread
  int64_t packed_size_ = 0;     // elements of the shared packed B
};

}  // namespace antler::runtime
