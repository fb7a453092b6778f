// Conv1DTranspose, Conv2DTranspose, Conv3DTranspose.
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
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
void fields(V& v, ConvTransposeOptions& o) {
  v.required("filters", o.filters);
  v.required("kernel_size", o.kernel_size);
  v("strides", o.strides);
  v("padding", o.padding);
  v("output_padding", o.output_padding);
  v("data_format", o.data_format);
  v("dilation_rate", o.dilation_rate);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  kernel_and_bias_fields(v, o);
}

BaseConvTranspose::BaseConvTranspose(int rank, const char* class_name,
                                     const ConvTransposeOptions& options)
    : Layer(class_name, base_options(options)), rank_(rank), options_(options) {
  ConvTransposeOptions& o = options_;
  check_positive(o.filters, "filters");
  expand_conv_sizes(rank, true, o.kernel_size, o.strides, o.dilation_rate);
  o.padding = standardize_padding(o.padding, false, class_name);
  is_channels_first(o.data_format, class_name);
  if (o.output_padding.given()) {
    o.output_padding = o.output_padding.expand(rank, 0, "The `output_padding` argument", 0);
    for (size_t i = 0; i < o.strides.values().size(); ++i) {
      if (o.output_padding.values()[i] < o.strides.values()[i]) continue;
      throw ValueError(
          "`output_padding` must be strictly less than `strides` for all dimensions. At dimension "
          "{}, `output_padding` is {} but `strides` is {}. Received: output_padding={}, strides={}",
          i, o.output_padding.values()[i], o.strides.values()[i], Shape(o.output_padding.values()),
          Shape(o.strides.values()));
    }
  }
  set_input_spec({.min_ndim = rank + 2});
}

void BaseConvTranspose::build(const Shape& input_shape) {
  const auto [axis, channels] =
      input_channels(input_shape, is_channels_first(options_.data_format, class_name()));
  Shape kernel(options_.kernel_size.values());
  kernel.push_back(options_.filters);
  kernel.push_back(channels);
  kernel_ = add_weight(kernel_weight(options_, kernel));
  if (options_.use_bias) bias_ = add_weight(bias_weight(options_, {options_.filters}));
  set_input_spec({.min_ndim = rank_ + 2, .axes = {{axis, channels}}});
}

Tensor BaseConvTranspose::call(const Tensor& input, const CallOptions&) {
  const bool first = is_channels_first(options_.data_format, class_name());
  Tensor x = first ? channels_to_last(input) : input;
  x = ops::conv_transpose(x, value_of(kernel_), options_.strides.values(), options_.padding,
                          options_.output_padding.values(), options_.dilation_rate.values());
  if (options_.use_bias) x = x + value_of(bias_);
  if (first) x = channels_to_first(x);
  return options_.activation(x);
}

Json BaseConvTranspose::get_config() const { return config_of(*this, options_); }

Conv1DTranspose::Conv1DTranspose()
    : Conv1DTranspose(ConvTransposeOptions{.filters = 1, .kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
Conv1DTranspose::Conv1DTranspose(const ConvTransposeOptions& options)
    : LayerBase(1, "Conv1DTranspose", options) {}
Conv2DTranspose::Conv2DTranspose()
    : Conv2DTranspose(ConvTransposeOptions{.filters = 1, .kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
Conv2DTranspose::Conv2DTranspose(const ConvTransposeOptions& options)
    : LayerBase(2, "Conv2DTranspose", options) {}
Conv3DTranspose::Conv3DTranspose()
    : Conv3DTranspose(ConvTransposeOptions{.filters = 1, .kernel_size = 1, .name = kUnassigned}) {
  set_unassigned();
}
Conv3DTranspose::Conv3DTranspose(const ConvTransposeOptions& options)
    : LayerBase(3, "Conv3DTranspose", options) {}

LayerClasses conv_transpose_layers() {
  return layer_classes_of<ConvTransposeOptions, Conv1DTranspose, Conv2DTranspose,
                          Conv3DTranspose>();
}

}  // namespace antler
