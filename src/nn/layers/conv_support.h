#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/nn/layer.h"
#include "antler/nn/sizes.h"
#include "antler/ops/nn/convolution.h"

/// Shared by the convolution layers.
namespace antler {

/// Expands kernel_size, strides and dilation_rate to one entry per dimension. Throws ValueError for
/// sizes below 1, and for strides combined with dilation if `exclusive`.
void expand_conv_sizes(int rank, bool exclusive, Sizes& kernel_size, Sizes& strides,
                       Sizes& dilation_rate);
/// Throws ValueError unless the number `what` is positive.
void check_positive(int64_t value, const char* what);
/// The axis of the channels, 1 or -1, and their number. Throws ValueError if it is unknown.
struct Channels {
  int axis;
  int64_t count;
};
Channels input_channels(const Shape& input_shape, bool channels_first);

/// The geometry of a convolution of x [batch, spatial..., channels] with Keras's padding "valid",
/// "same" or "causal". Throws ValueError naming the layer if the kernel does not fit.
ops::ConvDims conv_dims(const Layer& layer, const Tensor& x, const std::vector<int64_t>& kernel,
                        const std::vector<int64_t>& strides, const std::vector<int64_t>& dilation,
                        const std::string& padding, int64_t groups = 1);

}  // namespace antler
