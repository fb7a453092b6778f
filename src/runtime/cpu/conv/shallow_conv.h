#pragma once

#include <cstdint>
#include <vector>

#include "antler/ir/attrs.h"
#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/shallow_windows_avx512.h"

namespace antler::runtime {

/// Convolutions of an image of few channels, as the first of a network, with a relu and a max pool
/// of 2 x 2 behind them. Sums are so short that to write the convolved image, or its gradient, and
/// to read it again takes longer than they do: here it stays in registers. Sixteen lanes of
/// AVX-512; the sums do not depend on the number of threads.
class ShallowGeometry {
 public:
  /// Whether this way serves a convolution that is followed by such a pool.
  static bool serves(const ops::ConvGeometry& geometry, const ir::Attrs& pool);
  static constexpr const char* kRefusal = "no short sums behind which windows of 2 x 2 are pooled";

 protected:
  ShallowGeometry(const ops::ConvGeometry& geometry, int threads);

  /// Where the pooled rows [begin, end) of an image find the first element of their first sum: in
  /// the image itself, or in a copy of those rows in `slab` that has zeros around it.
  const float* rows_of(const float* x, int64_t image, int64_t begin, int64_t end,
                       float* slab) const;
  /// The windows of the pooled row that lies `row` rows behind the one that begins at `first`.
  avx512::ShallowRow row_behind(const float* first, int64_t row) const;
  int64_t steps() const { return static_cast<int64_t>(offsets_.size()); }
  /// Elements of a row of pooled pixels.
  int64_t pooled_line() const { return columns_ * g_.group_outputs; }
  /// Pooled rows that a slab takes; all of them where none is needed.
  int64_t band_rows() const { return band_rows_; }

  ops::ConvGeometry g_;
  int threads_;
  int64_t rows_;                  // of a pooled image
  int64_t columns_;               // and pixels of a row
  int64_t slab_size_ = 0;         // per thread, in elements
  std::vector<int64_t> offsets_;  // of the elements of a sum from its first

 private:
  void pad(const float* image, int64_t begin, int64_t end, float* slab) const;

  bool in_place_;  // no window reaches over the border
  int64_t line_;   // elements of a row of x, or of the slab
  int64_t band_rows_;
};

/// conv_relu_pool.
class ShallowConvPool : private ShallowGeometry {
 public:
  ShallowConvPool(const ops::ConvGeometry& geometry, int threads);

  int64_t scratch_size() const { return slab_size_ * threads_; }  ///< elements
  /// `index`: null where nobody wants to know which element of a window was the largest.
  void run(const float* x, const float* weights, const float* bias, float* pooled, uint8_t* index,
           float* scratch) const;

 private:
  int64_t bands_;  // of the rows of an image, each a task
};

/// conv_pool_filter_grad.
class ShallowFilterGrad : private ShallowGeometry {
 public:
  /// As ShallowGeometry's, for shorter sums: with longer ones it matters less that the image's
  /// gradient is written.
  static bool serves(const ops::ConvGeometry& geometry, const ir::Attrs& pool);

  ShallowFilterGrad(const ops::ConvGeometry& geometry, int threads);

  int64_t scratch_size() const { return parts_ * sums_size() + slab_size_ * threads_; }
  void run(const float* x, const uint8_t* index, const float* dy, float* dw, float* scratch) const;

 private:
  int64_t sums_size() const { return steps() * g_.group_outputs; }

  int64_t parts_;  // of the images; their sums are added in a fixed order
};

}  // namespace antler::runtime
