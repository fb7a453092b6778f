#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ceil_div.h"
#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/conv_op.h"
#include "runtime/cpu/conv/winograd_transforms.h"
#include "runtime/cpu/gemm/micro_kernel.h"

namespace antler::runtime {

/// 3 x 3 convolutions of stride 1 by Winograd's algorithm (winograd_transforms.h), with a quarter
/// of the multiplications. Tiles are processed in blocks, so that a block's transformed inputs and
/// the results of its 36 matrix products stay in a core's L2. float32 only. The order of sums does
/// not depend on the number of threads, as it does in oneDNN. Benchmarks: resnet20 and cnn;
/// benchmarks/RESULTS.md compares it with direct convolution.
class WinogradGeometry {
 public:
  /// Whether the convolution is of this kind, and large enough to be faster than direct
  /// convolution.
  static bool accepts(const ops::ConvGeometry& geometry, ConvOp op);
  static constexpr const char* kRefusal = "not a large 3 x 3 convolution of stride 1";

 protected:
  /// For an input gradient, inputs are dy and outputs dx.
  WinogradGeometry(const ops::ConvGeometry& geometry, bool is_input_grad);

  int64_t tiles_of_image() const { return tile_rows_ * tile_columns_; }
  int64_t tiles() const { return images_ * tiles_of_image(); }
  struct Place {
    int64_t image;
    int64_t row;  // of the tile's first output
    int64_t column;
  };
  Place place(int64_t tile) const;
  /// Transforms channels [first, first + count) of a tile's inputs to [point][channel].
  void transform_input(const float* x, const Place& place, WinogradSize size, int64_t first,
                       int64_t count, float* to, int64_t point_step) const;

  /// C[rows, columns] (+)= A[rows, k] B[k, columns]. Element (i, p) of A is at
  /// a[i * a_row_stride + p * a_col_stride]. B and C are accessed in full vectors.
  struct Product {
    int64_t rows;
    int64_t columns;
    int64_t k;
    const float* a;
    int64_t a_row_stride;
    int64_t a_col_stride;
    const float* b;
    int64_t b_row_stride;
    float* c;
    int64_t c_row_stride;
    bool accumulate;
  };
  void multiply(const Product& product) const;

  const MicroKernels<float>* micro_;
  int64_t images_;
  int64_t in_rows_, in_columns_, out_rows_, out_columns_;
  int64_t pad_top_, pad_left_;
  int64_t inputs_, outputs_;  // channels
  int64_t tile_rows_, tile_columns_;
  std::vector<float> zeros_;  // a pixel of padding
};

/// conv, or conv_input_grad, which is a convolution with the filter reversed and its input and
/// output channels swapped.
class WinogradConv : private WinogradGeometry {
 public:
  WinogradConv(const ops::ConvGeometry& geometry, ConvOp op, int threads);

  size_t scratch_bytes() const;
  void run(const float* in, const float* weights, float* out, void* scratch) const;

  // run() in two single-threaded steps, for callers that split the work themselves: pack() once,
  // then run_packed().
  int64_t packed_size() const { return packed_size_; }        ///< elements
  int64_t workspace_size() const { return workspace_size_; }  ///< elements, per thread
  void pack(const float* weights, float* packed, float* workspace) const;
  void run_packed(const float* in, const float* packed, float* out, float* workspace) const;

 private:
  int64_t weight_blocks() const;
  void pack_block(int64_t block, const float* weights, float* packed, float* workspace) const;
  void run_block(int64_t block, const float* in, const float* packed, float* out,
                 float* workspace) const;
  int64_t blocks() const { return ceil_div(tiles(), block_); }

  WinogradSize size_of(const Place& place) const;

  bool is_grad_;
  bool small_rows_;     // the last row of tiles is small
  bool small_columns_;  // the last column of tiles is small
  int threads_;
  int64_t block_;        // tiles per block
  int64_t packed_size_;  // of all points
  int64_t workspace_size_;
};

/// conv_filter_grad.
class WinogradFilterGrad : private WinogradGeometry {
 public:
  WinogradFilterGrad(const ops::ConvGeometry& geometry, int threads);

  size_t scratch_bytes() const;
  void run(const float* x, const float* dy, float* dw, void* scratch) const;

 private:
  void run_part(int64_t part, int64_t channel_part, const float* x, const float* dy, float* sums,
                float* workspace) const;
  void transform_grads(const float* dy, int64_t begin, int64_t end, float* to,
                       int64_t point_step) const;
  int64_t point_size() const;  // elements of the result of one point

  int threads_;
  int64_t block_;
  int64_t parts_;          // of the tiles, whose partial results are added in order
  int64_t channel_parts_;  // of the input channels
  int64_t workspace_size_;
};

}  // namespace antler::runtime
