#pragma once

#include <cstdint>
#include <vector>

#include "antler/ir/attrs.h"
#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/shallow_windows_avx512.h"

namespace antler::runtime {

/// A convolution of few input channels, such as the first one of a network, fused with relu and a
/// 2 x 2 max pool. Its sums are so short that storing and loading the convolved image, or its
/// gradient, would take longer than computing it: it stays in registers. oneDNN has no such fusion;
/// benchmarks/RESULTS.md shows the speedup in the benchmark cnn. AVX-512 only. The order of sums
/// does not depend on the number of threads.
class ShallowGeometry {
 public:
  /// `pool`: attributes of the pool as a reduce_window.
  static bool accepts(const ops::ConvGeometry& geometry, const ir::Attrs& pool);
  static constexpr const char* kRefusal =
      "not a convolution of few channels, multiples of 16 outputs and a 2 x 2 pool";

 protected:
  ShallowGeometry(const ops::ConvGeometry& geometry, int threads);

  /// Address of the first element that the pooled rows [begin, end) of an image read: in the image
  /// itself or, if they read padding, in a padded copy of those rows in `padded`.
  const float* prepare_rows(const float* x, int64_t image, int64_t begin, int64_t end,
                            float* padded) const;
  /// The pooled row `row` rows below the one that begins at `first`.
  avx512::ShallowRow pooled_row(const float* first, int64_t row) const;
  int64_t steps() const { return static_cast<int64_t>(offsets_.size()); }
  /// Elements of a pooled row.
  int64_t pooled_line() const { return columns_ * g_.group_outputs; }
  /// Pooled rows of a padded copy; all rows if none is needed.
  int64_t band_rows() const { return band_rows_; }

  ops::ConvGeometry g_;
  int threads_;
  int64_t rows_;                  // of a pooled image
  int64_t columns_;               // of a pooled image
  int64_t padded_size_ = 0;       // elements, per thread
  std::vector<int64_t> offsets_;  // of the elements of a sum from the first one

 private:
  void pad(const float* image, int64_t begin, int64_t end, float* padded) const;

  bool in_place_;  // no window reads padding
  int64_t line_;   // elements of a row of x, or of its padded copy
  int64_t band_rows_;
};

/// conv_relu_pool.
class ShallowConvPool : private ShallowGeometry {
 public:
  ShallowConvPool(const ops::ConvGeometry& geometry, int threads);

  int64_t scratch_size() const { return padded_size_ * threads_; }  ///< elements
  /// `index`: receives the position of the maximum in each window; may be null.
  void run(const float* x, const float* weights, const float* bias, float* pooled, uint8_t* index,
           float* scratch) const;

 private:
  int64_t bands_;  // of an image
};

/// conv_pool_filter_grad.
class ShallowFilterGrad : private ShallowGeometry {
 public:
  /// Accepts only shorter sums than ShallowGeometry does: with longer ones, storing the gradient of
  /// the convolved image matters less.
  static bool accepts(const ops::ConvGeometry& geometry, const ir::Attrs& pool);

  ShallowFilterGrad(const ops::ConvGeometry& geometry, int threads);

  int64_t scratch_size() const { return parts_ * sum_size() + padded_size_ * threads_; }
  void run(const float* x, const uint8_t* index, const float* dy, float* dw, float* scratch) const;

 private:
  int64_t sum_size() const { return steps() * g_.group_outputs; }

  int64_t parts_;  // of the images, whose partial results are added in order
};

}  // namespace antler::runtime
