#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/winograd_transforms.h"
#include "runtime/cpu/gemm/micro_kernel.h"

namespace antler::runtime {

/// Convolutions with 3 x 3 kernels that move by one, by winograd_transforms.h: a quarter of the
/// multiplications. Tiles of outputs are transformed block after block, so that a block and what
/// its 36 matrix products give stay in a core's cache. float32 only; the sums do not depend on the
/// number of threads.
class WinogradGeometry {
 public:
  enum class Result { output, input_grad, filter_grad };
  /// Whether the convolution is of this kind, and large enough to win.
  static bool serves(const ops::ConvGeometry& geometry, Result result);

 protected:
  /// For an input gradient the images are those of dy, the results those of dx.
  WinogradGeometry(const ops::ConvGeometry& geometry, bool is_input_grad);

  int64_t tiles_of_image() const { return tile_rows_ * tile_columns_; }
  int64_t tiles() const { return images_ * tiles_of_image(); }
  /// Where a tile lies.
  struct Place {
    int64_t image;
    int64_t row;  // of its first output
    int64_t column;
  };
  Place place(int64_t tile) const;
  /// Transforms the inputs of a tile at `place`, channels [first, first + count), to values
  /// [point][channel].
  void transform_input(const float* x, const Place& place, WinogradSize size, int64_t first,
                       int64_t count, float* to, int64_t point_step) const;

  /// C[rows, columns] (+)= A[rows, k] B[k, columns] with element (i, p) of A at a[i * a_row + p *
  /// a_step]; B and C are read and written in whole vectors.
  struct Product {
    int64_t rows;
    int64_t columns;
    int64_t k;
    const float* a;
    int64_t a_row;
    int64_t a_step;
    const float* b;
    int64_t b_step;
    float* c;
    int64_t c_row;
    bool accumulate;
  };
  void multiply(const Product& product) const;

  const MicroKernels<float>* micro_;
  int64_t images_;
  int64_t in_rows_, in_columns_, out_rows_, out_columns_;
  int64_t pad_top_, pad_left_;
  int64_t inputs_, outputs_;  // channels
  int64_t tile_rows_, tile_columns_;
  std::vector<float> zeros_;  // a pixel of the padding
};

/// conv, or conv_input_grad: the same with a kernel that is turned round and has its channels
/// exchanged.
class WinogradConv : private WinogradGeometry {
 public:
  WinogradConv(const ops::ConvGeometry& geometry, Result result, int threads);

  size_t scratch_bytes() const;
  void run(const float* in, const float* weights, float* out, void* scratch) const;

  // The two halves of run(), for one who shares out the work: weights are transformed once, and
  // images convolved by the calling thread alone.
  int64_t packed_size() const { return packed_size_; }  ///< elements
  int64_t slab_size() const { return slab_size_; }      ///< elements, per thread
  void pack(const float* weights, float* packed, float* slab) const;
  void run_packed(const float* in, const float* packed, float* out, float* slab) const;

 private:
  int64_t weight_blocks() const;
  void pack_block(int64_t block, const float* weights, float* packed, float* slab) const;
  void run_block(int64_t block, const float* in, const float* packed, float* out,
                 float* slab) const;
  int64_t blocks() const { return (tiles() + block_ - 1) / block_; }

  WinogradSize size_of(const Place& place) const;

  bool is_grad_;
  bool small_rows_;     // of the last row of tiles
  bool small_columns_;  // of the last column
  int threads_;
  int64_t block_;        // tiles
  int64_t packed_size_;  // of all points
  int64_t slab_size_;
};

/// conv_filter_grad.
class WinogradFilterGrad : private WinogradGeometry {
 public:
  WinogradFilterGrad(const ops::ConvGeometry& geometry, int threads);

  size_t scratch_bytes() const;
  void run(const float* x, const float* dy, float* dw, void* scratch) const;

 private:
  void run_part(int64_t part, int64_t strip, const float* x, const float* dy, float* sums,
                float* slab) const;
  void transform_grads(const float* dy, int64_t begin, int64_t end, float* to,
                       int64_t point_step) const;
  int64_t point_size() const;  // elements of a point's sums

  int threads_;
  int64_t block_;
  int64_t parts_;   // of the tiles; their sums are added in a fixed order
  int64_t strips_;  // of the input channels, each a task of its own
  int64_t slab_size_;
};

}  // namespace antler::runtime
