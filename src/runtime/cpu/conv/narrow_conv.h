#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/gemm/gemm_block.h"

namespace antler::runtime {

/// Convolutions to an image's few channels, as the last of an autoencoder: where output channels
/// are the columns of a product, most of a vector is empty. Here all taps of the kernel and output
/// channels together are the columns, and what is shifted is the small side:
///
///   forward:     z[pixel of x, (tap, output)] = x w,   y[window] = sum of z over the window's taps
///   filter grad: dw[input, (tap, output)] = x^T d,     d[pixel of x, (tap, output)] = dy shifted
///
/// Images are cut into bands of rows whose z or d stays in a second-level cache. The parts that are
/// summed do not depend on the number of threads.
class NarrowGeometry {
 public:
  static constexpr int64_t kMostOutputs = 4;

  explicit NarrowGeometry(const ops::ConvGeometry& geometry);
  /// Whether this way serves: windows that move by one over an input without holes.
  static bool serves(const ops::ConvGeometry& geometry);

 protected:
  /// Taps of one plane of the kernel, and the columns of the product that they make.
  int64_t taps() const { return g_.dims[1].kernel * g_.dims[2].kernel; }
  int64_t columns() const { return taps() * g_.group_outputs; }
  int64_t planes() const { return g_.dims[0].kernel; }
  /// Calls f(tap, row of x, first window, its end, column of x of the first window) for what of row
  /// `o1` of windows lies in rows [begin, end) of x.
  template <class F>
  void for_each_tap(int64_t o1, int64_t begin, int64_t end, F&& f) const;

  ops::ConvGeometry g_;
  int64_t row_ = 0;  // elements of a row of the product: columns() in whole vectors
};

template <class T>
class NarrowConv : private NarrowGeometry {
 public:
  NarrowConv(const ops::ConvGeometry& geometry, int threads);
  size_t scratch_bytes() const;
  void run(const T* x, const T* w, T* y, void* scratch) const;

 private:
  template <int outputs>
  void add_windows(const T* z, int64_t begin, int64_t end, int64_t row_begin, int64_t row_end,
                   T* y) const;
  void run_band(int64_t band, const T* x, const T* weights, T* y, T* workspace) const;
  void prepare(const T* w, T* weights) const;

  int threads_;
  int64_t band_rows_;  // rows of windows
  int64_t bands_;      // of a plane of windows
  int64_t z_size_;
  int64_t workspace_;
  int64_t weights_size_;
};

template <class T>
class NarrowFilterGrad : private NarrowGeometry {
 public:
  NarrowFilterGrad(const ops::ConvGeometry& geometry, int threads);
  size_t scratch_bytes() const;
  void run(const T* x, const T* dy, T* dw, void* scratch) const;

 private:
  void shift(const T* dy, int64_t row_begin, int64_t row_end, T* d) const;
  void run_part(int64_t part, const T* x, const T* dy, T* sums, T* workspace) const;

  int threads_;
  int64_t band_rows_;  // rows of x
  int64_t parts_;      // of the batch
  int64_t sums_size_;
  int64_t d_size_;
  int64_t workspace_;
};

}  // namespace antler::runtime
