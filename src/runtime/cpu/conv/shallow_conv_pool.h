#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "antler/ir/attrs.h"
#include "ops/conv/conv_geometry.h"

namespace antler::runtime {

/// conv_relu_pool over an image of few channels, as the first of a network: sums are so short that
/// to write the convolved image and to read it again takes longer than they do. Here the sums of
/// some windows of 2 x 2 stay in registers and only their largest is written. Sixteen lanes of
/// AVX-512; the sums do not depend on the number of threads.
class ShallowConvPool {
 public:
  /// Whether this way serves a convolution that is followed by such a pool.
  static bool serves(const ops::ConvGeometry& geometry, const ir::Attrs& pool);

  ShallowConvPool(const ops::ConvGeometry& geometry, int threads);

  int64_t scratch_size() const { return slab_size_ * threads_; }  ///< elements
  /// `index`: null where nobody wants to know which element of a window was the largest.
  void run(const float* x, const float* weights, const float* bias, float* pooled, uint8_t* index,
           float* scratch) const;

 private:
  const float* pad(const float* image, int64_t begin, int64_t end, float* slab) const;

  ops::ConvGeometry g_;
  int threads_;
  bool in_place_;                 // no window reaches over the border
  int64_t rows_;                  // of a pooled image
  int64_t columns_;               // and pixels of a row
  int64_t bands_;                 // of pooled rows, each a task
  int64_t line_;                  // elements of a row of x, or of the slab
  int64_t slab_size_;             // per thread, in elements: the padded rows of a band
  std::vector<int64_t> offsets_;  // of the elements of a sum from its first
};

}  // namespace antler::runtime
