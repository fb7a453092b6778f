#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// Convolutions and patches, channels last unless stated otherwise. Where a list per spatial
/// dimension is expected, one number applies to all. Messages of ValueErrors name the function and
/// the shape.
namespace antler::ops {

/// Parameters of a convolution over 1, 2 or 3 spatial dimensions. Empty vectors mean no padding,
/// and 1 for strides and dilations.
struct ConvDims {
  std::vector<int64_t> strides = {};
  std::vector<int64_t> pad_low = {};  ///< may be negative
  std::vector<int64_t> pad_high = {};
  std::vector<int64_t> lhs_dilation = {};  ///< dilates the input (transposed convolution)
  std::vector<int64_t> rhs_dilation = {};  ///< dilates the kernel (atrous convolution)
  int64_t groups = 1;
};
/// x [n, spatial..., c_in], kernel [spatial..., c_in / groups, c_out] -> [n, spatial..., c_out].
/// A cross-correlation, as in Keras. Callers transpose for channels_first.
Tensor conv(const Tensor& x, const Tensor& kernel, const ConvDims& dims);
/// Padding of one dimension.
struct Padding {
  int64_t low = 0;
  int64_t high = 0;
};
/// The padding of Keras's "same".
Padding same_padding(int64_t size, int64_t window, int64_t stride, int64_t dilation = 1);
/// Converts Keras's arguments for conv(): conv(x, kernel, conv_dims(x, kernel, {2}, "same")).
/// `padding`: "valid", "same" or "causal".
ConvDims conv_dims(const Tensor& x, const Tensor& kernel, std::vector<int64_t> strides = {1},
                   const std::string& padding = "valid", std::vector<int64_t> dilation_rate = {1});
/// Convolves each channel separately; kernel [spatial..., in, multiplier].
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, ConvDims dims = {});
/// depthwise_conv(), then a convolution with pointwise_kernel [1..., in * multiplier, out].
Tensor separable_conv(const Tensor& x, const Tensor& depthwise_kernel,
                      const Tensor& pointwise_kernel, ConvDims dims = {});
/// Transposed convolution; kernel [spatial..., out, in]. Without `output_padding`, the output is
/// `strides` times as large ("same"), or that plus max(kernel - stride, 0) ("valid").
Tensor transposed_conv(const Tensor& x, const Tensor& kernel, std::vector<int64_t> strides,
                       const std::string& padding, std::vector<int64_t> output_padding,
                       std::vector<int64_t> dilation_rate);
/// The same under Keras's name. (A template, because g++ prefers a function to it: it would convert
/// options in braces to a list.)
template <class Strides = NumberOrList>
Tensor conv_transpose(const Tensor& x, const Tensor& kernel,
                      const std::type_identity_t<Strides>& strides = {1},
                      const std::string& padding = "valid", const NumberOrList& output_padding = {},
                      const NumberOrList& dilation_rate = {1}) {
  return transposed_conv(x, kernel, strides, padding, output_padding, dilation_rate);
}

/// Moves channels to blocks of pixels, [n, h, w, b * b * c] -> [n, h * b, w * b, c], and back.
Tensor depth_to_space(const Tensor& x, int64_t block_size);
Tensor space_to_depth(const Tensor& x, int64_t block_size);
/// Parameters of unfold() and fold(): (height, width).
struct PatchDims {
  std::pair<int64_t, int64_t> kernel_size;
  std::pair<int64_t, int64_t> dilation = {1, 1};
  std::pair<int64_t, int64_t> padding = {0, 0};
  std::pair<int64_t, int64_t> stride = {1, 1};
};
/// Patches of images [n, c, h, w], channels first: [n, c * kernel height * kernel width, patches].
Tensor unfold(const Tensor& x, const PatchDims& dims);
/// The adjoint of unfold(): adds up overlapping patches, [n, c, output_size].
Tensor fold(const Tensor& x, std::pair<int64_t, int64_t> output_size, const PatchDims& dims);

}  // namespace antler::ops
