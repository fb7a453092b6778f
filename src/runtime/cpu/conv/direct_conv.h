#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/ceil_div.h"
#include "runtime/cpu/conv/image_boxes.h"
#include "runtime/cpu/gemm/micro_kernel.h"

namespace antler::runtime {

/// conv, or conv_input_grad, which is the same walk with input and output exchanged: sums of
/// products of image rows and weights by the micro kernels of the matrix product, without a copy of
/// the image (im2col). Strides of a gradient and holes of an input make several *phases*: outputs
/// that meet the same taps of the kernel at the same distances.
template <class T>
class DirectConv {
 public:
  enum class Direction { forward, input_grad };
  DirectConv(const ops::ConvGeometry& geometry, Direction direction, int threads);

  size_t scratch_bytes() const;
  /// `in`: x, or dy for the gradient; `out`: y, or dx.
  void run(const T* in, const T* weights, T* out, void* scratch) const;

  // The two halves of run(), for one who shares out the work: weights are packed once, and images
  // convolved by the calling thread alone.
  int64_t packed_size() const { return whole_lines(packed_size_); }  ///< elements
  int64_t slab_size() const { return slab_size_; }                   ///< elements, per thread
  void pack(const T* weights, T* packed) const;
  void run_packed(const T* in, const T* packed, T* out, T* slab) const;

 private:
  struct Phase {
    ImageBoxes<T> boxes;
    std::vector<int64_t> out_rows;  // of the windows of a box, from its first window
    std::array<int64_t, 3> out_start;
    std::array<int64_t, 3> out_step;
    std::vector<int64_t> taps;  // index in the kernel, in the order of the sums
    // Runs [first, second) that are not all padding, for each row of windows of an image.
    std::vector<std::pair<int64_t, int64_t>> row_runs;
    int64_t row_windows = 1;
    std::vector<int64_t> segments;  // offset in a window of each run of neighbouring taps
    int64_t depth = 0;              // elements of a run
    int64_t chunk = 1;              // runs that are summed per pass over the outputs
    int64_t packed_at = 0;          // elements from the start of the packed weights
    int64_t first_box = 0;          // boxes of the phases before
  };

  void add_phase(const std::array<int, 3>& index);
  int64_t panels() const { return (outputs_ + micro_->columns() - 1) / micro_->columns(); }
  void run_box(const Phase& phase, int64_t box, const T* in, const T* packed, T* out,
               T* slab) const;
  void run_windows(const Phase& phase, int64_t begin, int64_t end, Walk<T> walk) const;
  void run_blocks(const Phase& phase, int64_t begin, int64_t end, Walk<T> walk) const;

  const MicroKernels<T>* micro_;
  ops::ConvGeometry geometry_;
  bool is_grad_;
  int threads_;
  int64_t inputs_;   // channels that are summed over, per group
  int64_t outputs_;  // channels of the result, per group
  std::array<int64_t, 3> out_sizes_;
  std::vector<Phase> phases_;
  int64_t packed_size_ = 0;
  int64_t slab_size_ = 0;
  int64_t boxes_ = 0;
};

}  // namespace antler::runtime
