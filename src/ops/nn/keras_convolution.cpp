#include <algorithm>
#include <optional>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/support.h"

/// Convolutions with Keras's arguments.
namespace antler::ops {
namespace {

std::vector<int64_t> each_dimension(const char* what, std::vector<int64_t> values, size_t count,
                                    int64_t least) {
  if (values.size() == 1) values.assign(count, values[0]);
  if (values.size() != count ||
      std::any_of(values.begin(), values.end(), [least](int64_t v) { return v < least; })) {
    throw ValueError("`{}` must have {} integers, each at least {}. Received: {}", what, count,
                     least, Shape(values));
  }
  return values;
}

void check_kernel(const char* function, const Tensor& x, const Tensor& kernel) {
  require_defined(function, x);
  require_defined(function, kernel);
  if (x.rank() >= 3 && kernel.rank() == x.rank()) return;
  throw ValueError(
      "ops::{}: expected x [batch, spatial..., channels] and a kernel of the same rank. Received: "
      "x.shape={}, kernel.shape={}",
      function, x.shape(), kernel.shape());
}

void check_padding(const char* function, const std::string& padding, bool causal) {
  if (padding == "valid" || padding == "same" || (causal && padding == "causal")) return;
  throw ValueError("ops::{}: `padding` must be 'valid'{}. Received: padding={}", function,
                   (causal ? ", 'same' or 'causal'" : " or 'same'"), padding);
}

/// The padding of the input of a transposed convolution, after its dilation by `stride`. `reach` is
/// the size of the dilated kernel.
Padding transposed_padding(int64_t reach, int64_t stride, bool same,
                           std::optional<int64_t> output_padding) {
  if (!same) {
    const int64_t extra = output_padding.value_or(std::max(reach, stride) - reach);
    return {reach - 1, reach - 1 + extra};
  }
  const int64_t total =
      output_padding ? reach + reach % 2 - 2 + *output_padding : stride + reach - 2;
  const int64_t low = std::min(total / 2 + total % 2, reach - 1);
  return {low, total - low};
}

}  // namespace

ConvDims conv_dims(const Tensor& x, const Tensor& kernel, std::vector<int64_t> strides,
                   const std::string& padding, std::vector<int64_t> dilation_rate) {
  check_kernel("conv", x, kernel);
  check_padding("conv", padding, true);
  const auto count = static_cast<size_t>(x.rank() - 2);
  ConvDims dims{
      .strides = each_dimension("strides", std::move(strides), count, 1),
      .rhs_dilation = each_dimension("dilation_rate", std::move(dilation_rate), count, 1)};
  for (size_t i = 0; i < count; ++i) {
    const int64_t window = kernel.dim(static_cast<int>(i));
    Padding pad;
    if (padding == "same") {
      pad = same_padding(x.dim(static_cast<int>(i) + 1), window, dims.strides[i],
                         dims.rhs_dilation[i]);
    }
    if (padding == "causal") pad.low = (window - 1) * dims.rhs_dilation[i];
    dims.pad_low.push_back(pad.low);
    dims.pad_high.push_back(pad.high);
  }
  return dims;
}

Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, ConvDims dims) {
  check_kernel("depthwise_conv", x, kernel);
  Shape shape = kernel.shape();
  const int last = shape.rank() - 1;
  const int64_t channels = shape[last - 1];
  shape[last] *= channels;
  shape[last - 1] = 1;
  dims.groups = channels;
  return conv(x, reshape(kernel, shape), dims);
}

Tensor separable_conv(const Tensor& x, const Tensor& depthwise_kernel,
                      const Tensor& pointwise_kernel, ConvDims dims) {
  return conv(depthwise_conv(x, depthwise_kernel, std::move(dims)), pointwise_kernel, {});
}

Tensor transposed_conv(const Tensor& x, const Tensor& kernel, std::vector<int64_t> strides,
                       const std::string& padding, std::vector<int64_t> output_padding,
                       std::vector<int64_t> dilation_rate) {
  check_kernel("conv_transpose", x, kernel);
  check_padding("conv_transpose", padding, false);
  const auto count = static_cast<size_t>(x.rank() - 2);
  ConvDims dims{
      .lhs_dilation = each_dimension("strides", std::move(strides), count, 1),
      .rhs_dilation = each_dimension("dilation_rate", std::move(dilation_rate), count, 1)};
  if (!output_padding.empty()) {
    output_padding = each_dimension("output_padding", std::move(output_padding), count, 0);
  }
  std::vector<int64_t> spatial;
  for (size_t i = 0; i < count; ++i) {
    std::optional<int64_t> extra;
    if (!output_padding.empty()) extra = output_padding[i];
    const int64_t reach = (kernel.dim(static_cast<int>(i)) - 1) * dims.rhs_dilation[i] + 1;
    const Padding pad = transposed_padding(reach, dims.lhs_dilation[i], padding == "same", extra);
    dims.pad_low.push_back(pad.low);
    dims.pad_high.push_back(pad.high);
    spatial.push_back(static_cast<int64_t>(i));
  }
  return conv(x, swapaxes(reverse(kernel, spatial), -1, -2), dims);
}

}  // namespace antler::ops
