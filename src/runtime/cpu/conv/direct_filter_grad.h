#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/image_boxes.h"
#include "runtime/cpu/gemm/micro_kernel.h"

namespace antler::runtime {

/// conv_filter_grad: a matrix product of [taps and input channels, windows] and [windows, output
/// channels] whose first operand is read from the image itself. The windows are summed in a fixed
/// number of parts, so that the result does not depend on the number of threads.
template <class T>
class DirectFilterGrad {
 public:
  DirectFilterGrad(const ops::ConvGeometry& geometry, int threads);

  size_t scratch_bytes() const;
  void run(const T* x, const T* dy, T* dw, void* scratch) const;

 private:
  void run_part(int64_t part, int64_t strip, const T* x, const T* dy, T* dw, T* slab) const;
  int64_t result_size() const { return rows() * geometry_.groups * geometry_.group_outputs; }
  int64_t rows() const { return static_cast<int64_t>(x_rows_.size()); }

  const MicroKernels<T>* micro_;
  ops::ConvGeometry geometry_;
  int threads_;
  ImageBoxes<T> boxes_;
  std::vector<int64_t> x_rows_;    // offset in a window of each (tap, input channel of a group)
  std::vector<int64_t> dw_rows_;   // where that row of the result begins
  std::vector<int64_t> segments_;  // offsets of the rows of windows of a box
  int64_t parts_ = 1;              // of the windows
  int64_t strips_ = 1;             // of the rows of the result, each a task of its own
  int64_t slab_size_ = 0;
  int64_t tail_size_ = 0;  // packed last columns of dy
};

}  // namespace antler::runtime
