#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/gemm/gemm_block.h"

namespace antler::runtime {

/// Convolutions to few output channels, such as the last one of an autoencoder. With one GEMM
/// column per output channel most of each vector would be unused. Here the columns are all pairs of
/// tap and output channel (the kn2row scheme), and the narrow side is shifted:
///
///   forward:     z[pixel of x, (tap, output)] = x w,   y[window] = sum of z over the window's taps
///   filter grad: dw[input, (tap, output)] = x^T d,     d[pixel of x, (tap, output)] = dy shifted
///
/// Images are split into bands of rows whose z or d stays in L2. The order of sums does not depend
/// on the number of threads. Benchmark: autoencoder of tools/peers/bench_models.py, which ends in
/// three channels.
class NarrowGeometry {
 public:
  static constexpr int64_t kMaxOutputs = 4;

  explicit NarrowGeometry(const ops::ConvGeometry& geometry);
  /// Few output channels, stride 1, no input dilation, and a filter large enough for this to be
  /// faster.
  static bool accepts(const ops::ConvGeometry& geometry);

 protected:
  /// Taps of one plane of the filter, and GEMM columns.
  int64_t taps() const { return g_.dims[1].kernel * g_.dims[2].kernel; }
  int64_t columns() const { return taps() * g_.group_outputs; }
  int64_t planes() const { return g_.dims[0].kernel; }
  /// Calls f(tap, row of x, first window, last window, column of x of the first window) for each
  /// tap of row `o1` of windows that is in rows [begin, end) of x.
  template <class F>
  void for_each_tap(int64_t o1, int64_t begin, int64_t end, F&& f) const;

  ops::ConvGeometry g_;
  int64_t row_ = 0;  // columns() padded to full vectors
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
  int64_t workspace_size_;
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
  int64_t sum_size_;
  int64_t d_size_;
  int64_t workspace_size_;
};

}  // namespace antler::runtime
