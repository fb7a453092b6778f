#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/image_tiles.h"
#include "runtime/cpu/gemm/micro_kernel.h"

namespace antler::runtime {

/// conv_filter_grad as an indirect GEMM of [(tap, input channel), windows] and [windows, output
/// channels], whose first operand is read from the image without im2col. The windows are split into
/// a fixed number of parts (split-K), so that the result does not depend on the number of threads,
/// as it does in oneDNN. Above 16 channels oneDNN is not faster, either. Benchmarks: see
/// direct_conv.h.
template <class T>
class DirectFilterGrad {
 public:
  DirectFilterGrad(const ops::ConvGeometry& geometry, int threads);

  size_t scratch_bytes() const;
  void run(const T* x, const T* dy, T* dw, void* scratch) const;

 private:
  void run_part(int64_t part, int64_t row_part, const T* x, const T* dy, T* dw, T* workspace) const;
  int64_t result_size() const { return rows() * geometry_.groups * geometry_.group_outputs; }
  int64_t rows() const { return static_cast<int64_t>(x_rows_.size()); }

  const MicroKernels<T>* micro_;
  ops::ConvGeometry geometry_;
  int threads_;
  ImageTiles<T> tiles_;
  std::vector<int64_t> x_rows_;    // offset in a window of each (tap, input channel of a group)
  std::vector<int64_t> dw_rows_;   // offset of that row in the result
  std::vector<int64_t> segments_;  // offsets of the rows of windows of a tile
  int64_t parts_ = 1;              // of the windows
  int64_t row_parts_ = 1;          // of the rows of the result
  int64_t padded_size_ = 0;
  int64_t tail_size_ = 0;  // of the packed last columns of dy
};

}  // namespace antler::runtime
