#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/tensor.h"

namespace antler::ops {

struct DotDims {
  std::vector<int64_t> lhs_contract;
  std::vector<int64_t> rhs_contract;
  std::vector<int64_t> lhs_batch = {};
  std::vector<int64_t> rhs_batch = {};
};
/// Sum of products over the contracted dimensions. Result: batch dimensions, free dimensions of
/// `x`, free dimensions of `y`. StableHLO's dot_general.
Tensor dot_general(const Tensor& x, const Tensor& y, const DotDims& dims);
/// NumPy's matmul: [..., m, k] x [..., k, n], leading dimensions broadcast, rank 1 operands as
/// vectors.
Tensor matmul(const Tensor& x, const Tensor& y);
/// Contracts the last `axes` dimensions of x with the first `axes` of y.
Tensor tensordot(const Tensor& x, const Tensor& y, int64_t axes);

/// Parameters of a convolution over d spatial dimensions (d = 1, 2 or 3); empty vectors mean all 1
/// or all 0.
struct ConvDims {
  std::vector<int64_t> strides = {};
  std::vector<int64_t> pad_low = {};  ///< may be negative
  std::vector<int64_t> pad_high = {};
  std::vector<int64_t> lhs_dilation = {};  ///< holes in the input (transposed convolution)
  std::vector<int64_t> rhs_dilation = {};  ///< holes in the kernel (atrous convolution)
  int64_t groups = 1;
};
/// x [n, spatial..., c_in], kernel [spatial..., c_in / groups, c_out] -> [n, spatial..., c_out].
/// Cross-correlation, as Keras. channels_first is a matter of transposes above.
Tensor conv(const Tensor& x, const Tensor& kernel, const ConvDims& dims);

/// Low and high padding of one dimension for Keras's "same" or "valid".
struct Padding {
  int64_t low = 0;
  int64_t high = 0;
};
Padding same_padding(int64_t size, int64_t window, int64_t stride, int64_t dilation = 1);

enum class WindowOp : uint8_t { sum, max, min, prod };
struct WindowDims {
  std::vector<int64_t> window;        ///< one entry per dimension of x (1 = not windowed)
  std::vector<int64_t> strides = {};  ///< default 1
  std::vector<int64_t> dilations = {};
  std::vector<int64_t> pad_low = {};  ///< padding holds the identity of the operation
  std::vector<int64_t> pad_high = {};
};
Tensor reduce_window(const Tensor& x, WindowOp op, const WindowDims& dims);

}  // namespace antler::ops
