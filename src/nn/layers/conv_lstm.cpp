// ConvLSTM1D, ConvLSTM2D, ConvLSTM3D.
#include "antler/nn/layers/conv_lstm.h"
#include "antler/nn/by_position.h"

#include <algorithm>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"
#include "nn/layers/conv_lstm_cell.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/recurrent_fields.h"

namespace antler {

template <class V>
void fields(V& v, ConvLSTMOptions& o) {
  loop_fields(v, o);
  v.required("filters", o.filters);
  v.required("kernel_size", o.kernel_size);
  v("strides", o.strides);
  v("padding", o.padding);
  v("data_format", o.data_format);
  v("dilation_rate", o.dilation_rate);
  v("activation", o.activation);
  v("recurrent_activation", o.recurrent_activation);
  initializer_fields(v, o);
  v("unit_forget_bias", o.unit_forget_bias);
  layer_penalty_fields(v, o);
  dropout_fields(v, o);
}

namespace {

ConvLSTMOptions checked(int rank, const std::string& self, ConvLSTMOptions o) {
  check_positive(o.filters, "filters");
  if (!o.kernel_size.given()) throw ValueError("{}: `kernel_size` must be given.", self);
  expand_conv_sizes(rank, true, o.kernel_size, o.strides, o.dilation_rate);
  o.padding = standardize_padding(o.padding, false, self);
  is_channels_first(o.data_format, self);
  o.dropout = std::clamp(o.dropout, 0.0, 1.0);
  o.recurrent_dropout = std::clamp(o.recurrent_dropout, 0.0, 1.0);
  return o;
}

RNNOptions loop_with_cell(int rank, const ConvLSTMOptions& o) {
  return loop_of<RNNOptions>(o, ConvLSTMCell(rank, o).share());
}

}  // namespace

BaseConvLSTM::BaseConvLSTM(int rank, const char* class_name, const ConvLSTMOptions& options)
    : RNN(class_name, loop_with_cell(rank, checked(rank, class_name, options))),
      options_(checked(rank, class_name, options)) {
  set_input_spec({.ndim = rank + 3});
}

Json BaseConvLSTM::get_config() const {
  ConvLSTMOptions options = options_;
  options.zero_output_for_mask = loop().zero_output_for_mask;
  return config_of(*this, options);
}

ConvLSTM1D::ConvLSTM1D(const ConvLSTMOptions& options) : LayerBase(1, "ConvLSTM1D", options) {}
ConvLSTM2D::ConvLSTM2D(const ConvLSTMOptions& options) : LayerBase(2, "ConvLSTM2D", options) {}
ConvLSTM3D::ConvLSTM3D(const ConvLSTMOptions& options) : LayerBase(3, "ConvLSTM3D", options) {}

LayerClasses conv_lstm_layers() {
  return layer_classes_of<ConvLSTMOptions, ConvLSTM1D, ConvLSTM2D, ConvLSTM3D>();
}

}  // namespace antler
