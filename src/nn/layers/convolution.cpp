// Conv1D, Conv2D, Conv3D.
#include "antler/nn/layers/convolution.h"
#include "antler/nn/by_position.h"
#include "antler/ops/numpy/elementwise.h"

#include <string>
#include <utility>

#include "antler/base/error.h"

#include "nn/layers/channels.h"
#include "nn/layers/classes.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/weight_fields.h"
#include "nn/quantization/layer_kernel.h"

namespace antler {

template <class V>
void fields(V& v, ConvOptions& o) {
  v.required("filters", o.filters);
  v.required("kernel_size", o.kernel_size);
  v("strides", o.strides);
  v("padding", o.padding);
  v("data_format", o.data_format);
  v("dilation_rate", o.dilation_rate);
  v("groups", o.groups);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  kernel_and_bias_fields(v, o);
  v.when_given("lora_rank", o.lora_rank);
  v.when_given("lora_alpha", o.lora_alpha);
}

BaseConv::BaseConv(int rank, const char* class_name, const ConvOptions& options)
    : KernelLayer(class_name, base_options(options)), rank_(rank), options_(options) {
  ConvOptions& o = options_;
  check_positive(o.filters, "filters");
  if (o.groups <= 0) {
    throw ValueError("The number of groups must be a positive integer. Received: groups={}.",
                     o.groups);
  }
  if (o.filters % o.groups != 0) {
    throw ValueError(
        "The number of filters must be evenly divisible by the number of groups. Received: "
        "groups={}, filters={}.",
        o.groups, o.filters);
  }
  expand_conv_sizes(rank, true, o.kernel_size, o.strides, o.dilation_rate);
  o.padding = standardize_padding(o.padding, rank == 1, class_name);
  is_channels_first(o.data_format, class_name);
  set_input_spec({.min_ndim = rank + 2});
}

void BaseConv::build(const Shape& input_shape) {
  const auto [axis, channels] =
      input_channels(input_shape, is_channels_first(options_.data_format, class_name()));
  if (channels % options_.groups != 0) {
    throw ValueError(
        "The number of input channels must be evenly divisible by the number of groups. Received "
        "groups={}, but the input has {} channels (full input shape is {}).",
        options_.groups, channels, input_shape);
  }
  Shape kernel(options_.kernel_size.values());
  kernel.push_back(channels / options_.groups);
  kernel.push_back(options_.filters);
  build_kernel(*kernel_, {.weight = kernel_weight(options_, kernel)});
  if (options_.use_bias) kernel_->set_bias(add_weight(bias_weight(options_, {options_.filters})));
  set_input_spec({.min_ndim = rank_ + 2, .axes = {{axis, channels}}});
  add_lora(options_.lora_rank, {.lora_alpha = options_.lora_alpha});
}

Tensor BaseConv::call(const Tensor& input, const CallOptions&) {
  const bool first = is_channels_first(options_.data_format, class_name());
  Tensor x = first ? channels_to_last(input) : input;
  x = ops::conv(x, kernel_->value(compute_dtype()),
                conv_dims(*this, x, options_.kernel_size.values(), options_.strides.values(),
                          options_.dilation_rate.values(), options_.padding, options_.groups));
  if (options_.use_bias) x = x + kernel_->bias(compute_dtype());
  // Before the activation, because softmax and others act on the last axis of the layer's output.
  if (first) x = channels_to_first(x);
  return options_.activation(x);
}

Json BaseConv::get_config() const { return config_of(*this, kernel_->described(options_)); }

Conv1D::Conv1D() : Conv1D(ConvOptions{.filters = 1, .kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
Conv1D::Conv1D(const ConvOptions& options) : LayerBase(1, "Conv1D", options) {}
Conv2D::Conv2D() : Conv2D(ConvOptions{.filters = 1, .kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
Conv2D::Conv2D(const ConvOptions& options) : LayerBase(2, "Conv2D", options) {}
Conv3D::Conv3D() : Conv3D(ConvOptions{.filters = 1, .kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
Conv3D::Conv3D(const ConvOptions& options) : LayerBase(3, "Conv3D", options) {}

LayerClasses convolution_layers() {
  return layer_classes_of<ConvOptions, Conv1D, Conv2D, Conv3D>();
}

}  // namespace antler
