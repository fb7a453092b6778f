#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/conv_op.h"

namespace antler::runtime {

/// Offsets of the element and the weight of one tap.
struct TapOffsets {
  int64_t from;
  int64_t weight;
};

/// Depthwise conv and its gradients (groups of one input and one output channel), vectorized over
/// channels. T: float, double. A group is too small for the GEMM of the other kernels, and oneDNN's
/// sums depend on the number of threads. Benchmarks: mobilenet, separable and convnext of
/// tools/peers/bench_models.py.
template <class T>
class DepthwiseConv {
 public:
  DepthwiseConv(const ops::ConvGeometry& geometry, ConvOp op, int threads);

  size_t scratch_bytes() const;
  /// Takes the operands in the order of the op.
  void run(const T* first, const T* second, T* result, void* scratch) const;

 private:
  /// Index in the filter and in the operand along one dimension.
  struct Tap {
    int64_t kernel;
    int64_t from;
  };
  /// The taps of each element of the result along one dimension, without those in the padding or in
  /// the zeros of a dilated input.
  using DimTaps = std::vector<std::vector<Tap>>;
  /// Evenly spaced elements of the result along the last dimension with the same filter elements:
  /// the inside of a row, or part of its border.
  struct Run {
    int64_t first = 0;
    int64_t step = 1;
    int64_t count = 1;
    int64_t from_step = 0;
    std::vector<Tap> taps;  ///< of the first element
  };
  void add_to_runs(int64_t o);
  void run_rows(const T* from, const T* weights, T* to, int64_t begin, int64_t end,
                TapOffsets* taps) const;
  void run_filter(const T* x, const T* dy, T* dw, int64_t begin, int64_t end) const;

  ops::ConvGeometry geometry_;
  ConvOp op_;
  int threads_;
  int64_t channels_;
  int64_t kernel_size_;
  int64_t parts_ = 1;  // of a filter gradient, whose partial results are added in order
  std::array<DimTaps, 3> taps_;
  std::vector<Run> runs_;
  std::array<int64_t, 3> from_sizes_;  // of the operand that the taps point into
};

}  // namespace antler::runtime
