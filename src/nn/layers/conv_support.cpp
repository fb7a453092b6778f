#include "nn/layers/conv_support.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"

namespace antler {

namespace {

bool any_above_one(const Sizes& sizes) {
  return std::any_of(sizes.values().begin(), sizes.values().end(), [](int64_t v) { return v > 1; });
}

}  // namespace

void expand_conv_sizes(int rank, bool exclusive, Sizes& kernel_size, Sizes& strides,
                       Sizes& dilation_rate) {
  if (!kernel_size.given()) throw ValueError("The `kernel_size` argument must be given.");
  kernel_size = kernel_size.expand(rank, 1, "The `kernel_size` argument");
  strides = strides.expand(rank, 1, "The `strides` argument");
  dilation_rate = dilation_rate.expand(rank, 1, "The `dilation_rate` argument");
  if (exclusive && any_above_one(strides) && any_above_one(dilation_rate)) {
    throw ValueError(
        "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides={} "
        "and dilation_rate={}",
        Shape(strides.values()), Shape(dilation_rate.values()));
  }
}

void check_positive(int64_t value, const char* what) {
  if (value > 0) return;
  throw ValueError(
      "Invalid value for argument `{}`. Expected a strictly positive value. Received {}={}.", what,
      what, value);
}

Channels input_channels(const Shape& input_shape, bool channels_first) {
  const int axis = channels_first ? 1 : -1;
  const int64_t channels = input_shape.dim(axis);
  if (channels == Shape::kUnknown) {
    throw ValueError(
        "The channel dimension of the inputs should be defined. Found None. Full input shape "
        "received: {}",
        input_shape);
  }
  return {axis, channels};
}

ops::ConvDims conv_dims(const Layer& layer, const Tensor& x, const std::vector<int64_t>& kernel,
                        const std::vector<int64_t>& strides, const std::vector<int64_t>& dilation,
                        const std::string& padding, int64_t groups) {
  ops::ConvDims dims{.strides = strides, .rhs_dilation = dilation, .groups = groups};
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t size = x.shape()[static_cast<int>(i) + 1];
    const int64_t reach = (kernel[i] - 1) * dilation[i] + 1;
    ops::Padding pad;
    if (padding == "same") pad = ops::same_padding(size, kernel[i], strides[i], dilation[i]);
    if (padding == "causal") pad.low = reach - 1;
    if (size + pad.low + pad.high < reach) {
      throw ValueError(
          "Computed output size would be negative. Received `inputs shape={}`, `kernel shape={}`, "
          "`dilation_rate={}` at layer \"{}\".",
          x.shape(), Shape(kernel), Shape(dilation), layer.name());
    }
    dims.pad_low.push_back(pad.low);
    dims.pad_high.push_back(pad.high);
  }
  return dims;
}

}  // namespace antler
