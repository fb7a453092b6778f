#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/nn/conv_geometry.h"

namespace antler::runtime {

/// Where one tap finds its element and its weight.
struct TapOffsets {
  int64_t from;
  int64_t weight;
};

/// conv and its gradients where each input channel has its own kernels (groups of one input
/// channel, one output channel): channels side by side take the place of columns of a product.
/// T: float, double.
template <class T>
class DepthwiseConv {
 public:
  enum class Result { output, input_grad, filter_grad };
  DepthwiseConv(const ops::ConvGeometry& geometry, Result result, int threads);

  size_t scratch_bytes() const;
  /// The operands in the order of the op.
  void run(const T* first, const T* second, T* result, void* scratch) const;

 private:
  /// Pairs (kernel element, element of the operand) for each element of the result along one
  /// dimension; those that meet padding or holes are left out.
  struct Tap {
    int64_t kernel;
    int64_t from;
  };
  struct DimTaps {
    std::vector<std::vector<Tap>> at;
  };
  /// Elements of the result along the last dimension that have the same kernel elements, evenly
  /// spaced: those of the inside, and borders, which are short.
  struct Run {
    int64_t first = 0;
    int64_t step = 1;
    int64_t count = 1;
    int64_t from_step = 0;
    std::vector<Tap> taps;  ///< of the first
  };
  void add_to_runs(int64_t o);
  void run_rows(const T* from, const T* weights, T* to, int64_t begin, int64_t end,
                TapOffsets* taps) const;
  void run_filter(const T* x, const T* dy, T* dw, int64_t begin, int64_t end) const;

  ops::ConvGeometry geometry_;
  Result result_;
  int threads_;
  int64_t channels_;
  int64_t kernel_size_;
  int64_t parts_ = 1;  // of a filter gradient; their sums are added in a fixed order
  std::array<DimTaps, 3> taps_;
  std::vector<Run> runs_;
  std::array<int64_t, 3> from_sizes_;  // of the operand that the taps point into
};

}  // namespace antler::runtime
