#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"

/// Convolutions and patches; channels last unless a function says otherwise. Where a function takes
/// Keras's arguments, one number stands for all spatial dimensions. Errors are ValueErrors that
/// name function and shape.
namespace antler::ops {

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
/// Keras's arguments of a convolution as conv() takes them: conv(x, kernel, conv_dims(x, kernel,
/// {2}, "same")). `padding`: "valid", "same" or "causal".
ConvDims conv_dims(const Tensor& x, const Tensor& kernel, std::vector<int64_t> strides = {1},
                   const std::string& padding = "valid", std::vector<int64_t> dilation_rate = {1});
/// conv() of each channel for itself; kernel [spatial..., in, multiplier].
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, ConvDims dims = {});
/// depthwise_conv(), then a convolution with pointwise_kernel [1..., in * multiplier, out].
Tensor separable_conv(const Tensor& x, const Tensor& depthwise_kernel,
                      const Tensor& pointwise_kernel, ConvDims dims = {});
/// The transpose of a convolution; kernel [spatial..., out, in]. Without `output_padding` the
/// output is `strides` times as large ("same"), or larger by what the kernel reaches ("valid").
Tensor conv_transpose(const Tensor& x, const Tensor& kernel, std::vector<int64_t> strides = {1},
                      const std::string& padding = "valid",
                      std::vector<int64_t> output_padding = {},
                      std::vector<int64_t> dilation_rate = {1});

/// Blocks of channels become blocks of pixels, [n, h, w, b * b * c] -> [n, h * b, w * b, c], and
/// back.
Tensor depth_to_space(const Tensor& x, int64_t block_size);
Tensor space_to_depth(const Tensor& x, int64_t block_size);
/// Geometry of unfold() and fold(); height, then width.
struct PatchDims {
  std::pair<int64_t, int64_t> kernel_size;
  std::pair<int64_t, int64_t> dilation = {1, 1};
  std::pair<int64_t, int64_t> padding = {0, 0};
  std::pair<int64_t, int64_t> stride = {1, 1};
};
/// Patches of images [n, c, h, w], channels first: [n, c * kernel height * kernel width, patches].
Tensor unfold(const Tensor& x, const PatchDims& dims);
/// The sums of such patches where they overlap, [n, c, output_size].
Tensor fold(const Tensor& x, std::pair<int64_t, int64_t> output_size, const PatchDims& dims);

}  // namespace antler::ops
