// SeparableConv1D, SeparableConv2D.
#include <string>
#include <utility>
#include <vector>

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
void fields(V& v, SeparableConvOptions& o) {
  v("depth_multiplier", o.depth_multiplier);
  v.required("filters", o.filters);
  v.required("kernel_size", o.kernel_size);
  v("strides", o.strides);
  v("padding", o.padding);
  v("data_format", o.data_format);
  v("dilation_rate", o.dilation_rate);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  v("depthwise_initializer", o.depthwise_initializer);
  v("pointwise_initializer", o.pointwise_initializer);
  v("bias_initializer", o.bias_initializer);
  v("depthwise_regularizer", o.depthwise_regularizer);
  v("pointwise_regularizer", o.pointwise_regularizer);
  v("bias_regularizer", o.bias_regularizer);
  v("activity_regularizer", o.activity_regularizer);
  v("depthwise_constraint", o.depthwise_constraint);
  v("pointwise_constraint", o.pointwise_constraint);
  v("bias_constraint", o.bias_constraint);
}

BaseSeparableConv::BaseSeparableConv(int rank, const char* class_name,
                                     const SeparableConvOptions& options)
    : Layer(class_name, base_options(options)), rank_(rank), options_(options) {
  SeparableConvOptions& o = options_;
  check_positive(o.depth_multiplier, "depth_multiplier");
  check_positive(o.filters, "filters");
  expand_conv_sizes(rank, false, o.kernel_size, o.strides, o.dilation_rate);
  o.padding = standardize_padding(o.padding, false, class_name);
  is_channels_first(o.data_format, class_name);
  set_input_spec({.min_ndim = rank + 2});
}

void BaseSeparableConv::build(const Shape& input_shape) {
  const auto [axis, channels] =
      input_channels(input_shape, is_channels_first(options_.data_format, class_name()));
  Shape depthwise(options_.kernel_size.values());
  depthwise.push_back(channels);
  depthwise.push_back(options_.depth_multiplier);
  Shape pointwise(std::vector<int64_t>(static_cast<size_t>(rank_), 1));
  pointwise.push_back(channels * options_.depth_multiplier);
  pointwise.push_back(options_.filters);
  depthwise_kernel_ = add_weight({.shape = depthwise,
                                  .initializer = options_.depthwise_initializer,
                                  .regularizer = options_.depthwise_regularizer,
                                  .constraint = options_.depthwise_constraint,
                                  .name = "depthwise_kernel"});
  pointwise_kernel_ = add_weight({.shape = pointwise,
                                  .initializer = options_.pointwise_initializer,
                                  .regularizer = options_.pointwise_regularizer,
                                  .constraint = options_.pointwise_constraint,
                                  .name = "pointwise_kernel"});
  if (options_.use_bias) bias_ = add_weight(bias_weight(options_, {options_.filters}));
  set_input_spec({.min_ndim = rank_ + 2, .axes = {{axis, channels}}});
}

Tensor BaseSeparableConv::call(const Tensor& input, const CallOptions&) {
  const bool first = is_channels_first(options_.data_format, class_name());
  Tensor x = first ? channels_to_last(input) : input;
  x = ops::depthwise_conv(
      x, value_of(depthwise_kernel_),
      conv_dims(*this, x, options_.kernel_size.values(), options_.strides.values(),
                options_.dilation_rate.values(), options_.padding));
  x = ops::conv(x, value_of(pointwise_kernel_), {});
  if (options_.use_bias) x = x + value_of(bias_);
  if (first) x = channels_to_first(x);
  return options_.activation(x);
}

Json BaseSeparableConv::get_config() const { return config_of(*this, options_); }

SeparableConv1D::SeparableConv1D()
    : SeparableConv1D(SeparableConvOptions{.filters = 1, .kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
SeparableConv1D::SeparableConv1D(const SeparableConvOptions& options)
    : LayerBase(1, "SeparableConv1D", options) {}
SeparableConv2D::SeparableConv2D()
    : SeparableConv2D(SeparableConvOptions{.filters = 1, .kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
SeparableConv2D::SeparableConv2D(const SeparableConvOptions& options)
    : LayerBase(2, "SeparableConv2D", options) {}

LayerClasses separable_conv_layers() {
  return layer_classes_of<SeparableConvOptions, SeparableConv1D, SeparableConv2D>();
}

}  // namespace antler
