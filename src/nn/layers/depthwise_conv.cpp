// DepthwiseConv1D, DepthwiseConv2D.
#include <string>
#include <utility>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/convolution.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/weight_fields.h"

namespace antler {

template <class V>
void fields(V& v, DepthwiseConvOptions& o) {
  v("depth_multiplier", o.depth_multiplier);
  v.required("kernel_size", o.kernel_size);
  v("strides", o.strides);
  v("padding", o.padding);
  v("data_format", o.data_format);
  v("dilation_rate", o.dilation_rate);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  v("depthwise_initializer", o.depthwise_initializer);
  v("bias_initializer", o.bias_initializer);
  v("depthwise_regularizer", o.depthwise_regularizer);
  v("bias_regularizer", o.bias_regularizer);
  v("activity_regularizer", o.activity_regularizer);
  v("depthwise_constraint", o.depthwise_constraint);
  v("bias_constraint", o.bias_constraint);
}

BaseDepthwiseConv::BaseDepthwiseConv(int rank, const char* class_name,
                                     const DepthwiseConvOptions& options)
    : Layer(class_name, base_options(options)), rank_(rank), options_(options) {
  DepthwiseConvOptions& o = options_;
  check_positive(o.depth_multiplier, "depth_multiplier");
  expand_conv_sizes(rank, false, o.kernel_size, o.strides, o.dilation_rate);
  o.padding = standardize_padding(o.padding, false, class_name);
  is_channels_first(o.data_format, class_name);
  set_input_spec({.min_ndim = rank + 2});
}

void BaseDepthwiseConv::build(const Shape& input_shape) {
  const auto [axis, channels] =
      input_channels(input_shape, is_channels_first(options_.data_format, class_name()));
  Shape kernel(options_.kernel_size.values());
  kernel.push_back(channels);
  kernel.push_back(options_.depth_multiplier);
  kernel_ = add_weight({.shape = kernel,
                        .initializer = options_.depthwise_initializer,
                        .regularizer = options_.depthwise_regularizer,
                        .constraint = options_.depthwise_constraint,
                        .name = "kernel"});
  if (options_.use_bias)
    bias_ = add_weight(bias_weight(options_, {channels * options_.depth_multiplier}));
  set_input_spec({.min_ndim = rank_ + 2, .axes = {{axis, channels}}});
}

Tensor BaseDepthwiseConv::call(const Tensor& input, const CallOptions&) {
  const bool first = is_channels_first(options_.data_format, class_name());
  Tensor x = first ? channels_to_last(input) : input;
  x = ops::depthwise_conv(
      x, value_of(kernel_),
      conv_dims(*this, x, options_.kernel_size.values(), options_.strides.values(),
                options_.dilation_rate.values(), options_.padding));
  if (options_.use_bias) x = x + value_of(bias_);
  if (first) x = channels_to_first(x);
  return options_.activation(x);
}

Json BaseDepthwiseConv::get_config() const { return config_of(*this, options_); }

DepthwiseConv1D::DepthwiseConv1D()
    : DepthwiseConv1D(DepthwiseConvOptions{.kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
DepthwiseConv1D::DepthwiseConv1D(const DepthwiseConvOptions& options)
    : LayerBase(1, "DepthwiseConv1D", options) {}
DepthwiseConv2D::DepthwiseConv2D()
    : DepthwiseConv2D(DepthwiseConvOptions{.kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
DepthwiseConv2D::DepthwiseConv2D(const DepthwiseConvOptions& options)
    : LayerBase(2, "DepthwiseConv2D", options) {}

LayerClasses depthwise_conv_layers() {
  return layer_classes_of<DepthwiseConvOptions, DepthwiseConv1D, DepthwiseConv2D>();
}

}  // namespace antler
