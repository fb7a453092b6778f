// Conv1D, Conv2D, Conv3D.
#include "antler/nn/layers/convolution.h"

#include <algorithm>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "nn/fields.h"
#include "nn/layers/channels.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, ConvOptions& o) {
  v("filters", o.filters);
  v("kernel_size", o.kernel_size);
  v("strides", o.strides);
  v("padding", o.padding);
  v("data_format", o.data_format);
  v("dilation_rate", o.dilation_rate);
  v("groups", o.groups);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v.constant("kernel_regularizer", nullptr);
  v.constant("bias_regularizer", nullptr);
  v.constant("activity_regularizer", nullptr);
  v.constant("kernel_constraint", nullptr);
  v.constant("bias_constraint", nullptr);
}

namespace {

ConvOptions with_size(ConvOptions options, int64_t filters, const Sizes& kernel_size) {
  options.filters = filters;
  options.kernel_size = kernel_size;
  return options;
}

bool any_above_one(const Sizes& sizes) {
  return std::any_of(sizes.values().begin(), sizes.values().end(), [](int64_t v) { return v > 1; });
}

}  // namespace

BaseConv::BaseConv(int rank, const char* class_name, const ConvOptions& options)
    : Layer(class_name, base_options(options)), rank_(rank), options_(options) {
  const std::string self = class_name;
  ConvOptions& o = options_;
  if (o.filters <= 0) {
    throw ValueError(
        "Invalid value for argument `filters`. Expected a strictly positive value. Received "
        "filters=" +
        std::to_string(o.filters) + ".");
  }
  if (o.groups <= 0 || o.filters % o.groups != 0) {
    throw ValueError(
        "The number of filters must be evenly divisible by the number of groups. Received: "
        "groups=" +
        std::to_string(o.groups) + ", filters=" + std::to_string(o.filters) + ".");
  }
  if (!o.kernel_size.given()) throw ValueError(self + ": `kernel_size` must be given.");
  o.kernel_size = o.kernel_size.expand(rank, 1, "The `kernel_size` argument");
  o.strides = o.strides.expand(rank, 1, "The `strides` argument");
  o.dilation_rate = o.dilation_rate.expand(rank, 1, "The `dilation_rate` argument");
  if (any_above_one(o.strides) && any_above_one(o.dilation_rate)) {
    throw ValueError(
        "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=" +
        Shape(o.strides.values()).str() +
        " and dilation_rate=" + Shape(o.dilation_rate.values()).str());
  }
  check_padding(o.padding, rank == 1, self);
  if (o.padding == "causal" && is_channels_first(o.data_format, self)) {
    throw ValueError(
        "When using causal padding in `Conv1D`, `data_format` must be 'channels_last' (temporal "
        "data).");
  }
  is_channels_first(o.data_format, self);
  set_input_spec({.ndim = rank + 2});
}

void BaseConv::build(const Shape& input_shape) {
  const bool first = is_channels_first(options_.data_format, class_name());
  const int64_t channels = input_shape.dim(first ? 1 : -1);
  if (channels == Shape::kUnknown) {
    throw ValueError(
        "The channel dimension of the inputs should be defined. Found None. Full input shape "
        "received: " +
        input_shape.str());
  }
  if (channels % options_.groups != 0) {
    throw ValueError(
        "The number of input channels must be evenly divisible by the number of groups. Received "
        "groups=" +
        std::to_string(options_.groups) + ", but the input has " + std::to_string(channels) +
        " channels (full input shape is " + input_shape.str() + ").");
  }
  Shape kernel(options_.kernel_size.values());
  kernel.push_back(channels / options_.groups);
  kernel.push_back(options_.filters);
  kernel_ =
      add_weight({.name = "kernel", .shape = kernel, .initializer = options_.kernel_initializer});
  if (options_.use_bias) {
    bias_ = add_weight(
        {.name = "bias", .shape = {options_.filters}, .initializer = options_.bias_initializer});
  }
  set_input_spec({.ndim = rank_ + 2, .axes = {{first ? 1 : -1, channels}}});
}

Tensor BaseConv::call(const Tensor& input, const CallOptions&) {
  const bool first = is_channels_first(options_.data_format, class_name());
  Tensor x = first ? channels_to_last(input) : input;
  const std::vector<int64_t>& kernel = options_.kernel_size.values();
  const std::vector<int64_t>& strides = options_.strides.values();
  const std::vector<int64_t>& dilation = options_.dilation_rate.values();
  ops::ConvDims dims{.strides = strides, .rhs_dilation = dilation, .groups = options_.groups};
  for (size_t i = 0; i < kernel.size(); ++i) {
    ops::Padding padding;
    if (options_.padding == "same") {
      padding =
          ops::same_padding(x.shape()[static_cast<int>(i) + 1], kernel[i], strides[i], dilation[i]);
    } else if (options_.padding == "causal") {
      padding.low = (kernel[i] - 1) * dilation[i];
    }
    dims.pad_low.push_back(padding.low);
    dims.pad_high.push_back(padding.high);
  }
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t size = x.shape()[static_cast<int>(i) + 1] + dims.pad_low[i] + dims.pad_high[i];
    if (size < (kernel[i] - 1) * dilation[i] + 1) {
      throw ValueError(
          "Computed output size would be negative. Received `inputs shape=" + input.shape().str() +
          "`, `kernel size=" + Shape(kernel).str() + "`, `dilation_rate=" + Shape(dilation).str() +
          "` at layer \"" + name() + "\".");
    }
  }
  x = ops::conv(x, value_of(kernel_), dims);
  if (options_.use_bias) x = x + value_of(bias_);
  // Before the activation: softmax and the like work along the last axis of what the caller sees.
  if (first) x = channels_to_first(x);
  return options_.activation(x);
}

Json BaseConv::get_config() const { return config_of(*this, options_); }

Conv1D::Conv1D(int64_t filters, const Sizes& kernel_size, ConvOptions options)
    : Conv1D(with_size(std::move(options), filters, kernel_size)) {}
Conv1D::Conv1D(const ConvOptions& options) : LayerBase(1, "Conv1D", options) {}
Conv2D::Conv2D(int64_t filters, const Sizes& kernel_size, ConvOptions options)
    : Conv2D(with_size(std::move(options), filters, kernel_size)) {}
Conv2D::Conv2D(const ConvOptions& options) : LayerBase(2, "Conv2D", options) {}
Conv3D::Conv3D(int64_t filters, const Sizes& kernel_size, ConvOptions options)
    : Conv3D(with_size(std::move(options), filters, kernel_size)) {}
Conv3D::Conv3D(const ConvOptions& options) : LayerBase(3, "Conv3D", options) {}

LayerPtr conv1d_from_config(const Json& config) {
  return Conv1D(options_from<ConvOptions>(config, "Conv1D")).share();
}
LayerPtr conv2d_from_config(const Json& config) {
  return Conv2D(options_from<ConvOptions>(config, "Conv2D")).share();
}
LayerPtr conv3d_from_config(const Json& config) {
  return Conv3D(options_from<ConvOptions>(config, "Conv3D")).share();
}

}  // namespace antler
