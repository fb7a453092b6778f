#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ceil_div.h"
#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/cache_line.h"
#include "runtime/cpu/conv/conv_op.h"
#include "runtime/cpu/conv/image_tiles.h"
#include "runtime/cpu/gemm/micro_kernel.h"

namespace antler::runtime {

/// conv and conv_input_grad as an indirect GEMM: the GEMM micro-kernels read rows of windows
/// through offsets into the image, without im2col. Handwritten: oneDNN's sums depend on the number
/// of threads, and its float32 forward convolutions are not faster. Benchmarks: alexnet and conv3d
/// of tools/peers/bench_models.py, and the strided convolutions of resnet20.
///
/// A strided convolution's gradient, or a dilated input, is split into several dense convolutions
/// (polyphase decomposition): each computes the outputs that have the same taps at the same
/// distances.
template <class T>
class DirectConv {
 public:
  /// op: forward or input_grad.
  DirectConv(const ops::ConvGeometry& geometry, ConvOp op, int threads);

  size_t scratch_bytes() const;
  /// `in`: x, or dy for the gradient; `out`: y, or dx.
  void run(const T* in, const T* weights, T* out, void* scratch) const;

  // run() in two steps, for callers that split the work themselves: pack() once, then run_packed(),
  // which is single-threaded.
  int64_t packed_size() const { return pad_to_cache_line(packed_size_); }  ///< elements
  int64_t workspace_size() const { return workspace_size_; }               ///< elements, per thread
  void pack(const T* weights, T* packed) const;
  void run_packed(const T* in, const T* packed, T* out, T* workspace) const;

 private:
  struct SubConv {
    ImageTiles<T> tiles;
    std::vector<int64_t> out_rows;  // offsets of the windows of a tile from its first window
    std::array<int64_t, 3> out_start;
    std::array<int64_t, 3> out_step;
    std::vector<int64_t> taps;  // index in the filter, in the order of the sums
    // For each row of windows of an image: the segments [first, second) that are not all padding.
    std::vector<std::pair<int64_t, int64_t>> row_segments;
    int64_t row_windows = 1;
    std::vector<int64_t> segments;  // offset in a window of each segment of adjacent taps
    int64_t depth = 0;              // elements of a segment
    int64_t segments_per_pass = 1;  // summed per pass over the outputs
    int64_t packed_offset = 0;      // of its weights in the packed weights
    int64_t first_tile = 0;         // number of tiles of the earlier sub-convolutions
  };

  void add_sub_conv(const std::array<int, 3>& index);
  int64_t panels() const { return ceil_div(outputs_, micro_->columns()); }
  void run_tile(const SubConv& conv, int64_t tile, const T* in, const T* packed, T* out,
                T* workspace) const;
  void run_windows(const SubConv& conv, int64_t begin, int64_t end, IndirectArgs<T> args) const;
  void run_row_blocks(const SubConv& conv, int64_t begin, int64_t end, IndirectArgs<T> args) const;

  const MicroKernels<T>* micro_;
  ops::ConvGeometry geometry_;
  bool is_grad_;
  int threads_;
  int64_t inputs_;   // channels summed over, per group
  int64_t outputs_;  // channels of the result, per group
  std::array<int64_t, 3> out_sizes_;
  std::vector<SubConv> sub_convs_;
  int64_t packed_size_ = 0;
  int64_t workspace_size_ = 0;
  int64_t tiles_ = 0;
};

}  // namespace antler::runtime
