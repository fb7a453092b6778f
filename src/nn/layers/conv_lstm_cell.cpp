#include "nn/layers/conv_lstm_cell.h"

#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/ceil_div.h"
#include "nn/layers/channels.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/gates.h"
#include "nn/layers/weight_fields.h"

namespace antler {

namespace {

constexpr int kConvLstmGates = 4;  // i, f, c, o

/// A convolution of the cell.
struct Window {
  const Layer* cell;
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilation;
  std::string padding;

  Tensor operator()(const Tensor& x, const Tensor& columns) const {
    return ops::conv(x, columns, conv_dims(*cell, x, kernel, strides, dilation, padding));
  }
};

/// Convolution of [batch, spatial..., in], or of all steps [time, batch, spatial..., in]. The
/// columns of the kernel are grouped by gate.
Tensor convolve(const Tensor& x, const Tensor& kernel, const Window& window,
                const GateDropout& dropout, int64_t filters) {
  const auto rank = static_cast<int>(window.kernel.size());
  const auto conv = [&](const Tensor& input, const Tensor& columns) {
    if (input.rank() == rank + 2) return window(input, columns);
    const int64_t time = input.dim(0);
    Shape shape{time * input.dim(1)};
    for (int i = 2; i < input.rank(); ++i) shape.push_back(input.dim(i));
    const Tensor y = window(ops::reshape(input, shape), columns);
    Shape result{time, input.dim(1)};
    for (int i = 1; i < y.rank(); ++i) result.push_back(y.dim(i));
    return ops::reshape(y, result);
  };
  if (!dropout.active()) return conv(x, kernel);
  Tensors parts;
  for (int g = 0; g < kConvLstmGates; ++g) {
    parts.push_back(conv(dropout(x, g), gate_columns(kernel, filters, g)));
  }
  return ops::concatenate(parts, -1);
}

/// [time, batch, channels, spatial...] -> [time, batch, spatial..., channels].
Tensor step_channels_to_last(const Tensor& x) { return ops::moveaxis(x, 2, -1); }

}  // namespace

ConvLSTMCell::ConvLSTMCell(int rank, const ConvLSTMOptions& options)
    : LayerBase("ConvLSTMCell", LayerOptions{.name = "conv_lstm_cell", .dtype = options.dtype}),
      rank_(rank),
      options_(options),
      channels_first_(options.data_format == "channels_first") {
  if (options_.dropout > 0 || options_.recurrent_dropout > 0) {
    seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  }
}

void ConvLSTMCell::build(const Shape& input_shape) {
  channels_ = input_shape.dim(channels_first_ ? 1 : -1);
  spatial_.clear();
  for (int i = 0; i < rank_; ++i) spatial_.push_back(input_shape[i + (channels_first_ ? 2 : 1)]);
  for (int64_t size : spatial_) {
    if (size != Shape::kUnknown) continue;
    throw ValueError(
        "ConvLSTM layers only support static input shapes for the spatial dimension. Received "
        "invalid input shape: input_shape={}",
        input_shape);
  }
  if (channels_ == Shape::kUnknown) {
    throw ValueError(
        "The channel dimension of the inputs (last axis) should be defined. Found None. Full input "
        "shape received: input_shape={}",
        input_shape);
  }
  Shape kernel(options_.kernel_size.values());
  Shape recurrent = kernel;
  kernel.push_back(channels_);
  kernel.push_back(kConvLstmGates * options_.filters);
  recurrent.push_back(options_.filters);
  recurrent.push_back(kConvLstmGates * options_.filters);
  kernel_ = add_weight(kernel_weight(options_, kernel));
  recurrent_kernel_ = add_weight(recurrent_kernel_weight(options_, recurrent));
  if (options_.use_bias) {
    WeightOptions bias = bias_weight(options_, {kConvLstmGates * options_.filters});
    if (options_.unit_forget_bias) bias.initializer = forget_bias(options_.bias_initializer);
    bias_ = add_weight(bias);
  }
}

Shape ConvLSTMCell::state_shape(int64_t batch) const {
  Shape shape{batch};
  for (size_t i = 0; i < spatial_.size(); ++i) {
    const int64_t stride = options_.strides.values()[i];
    const int64_t window =
        (options_.kernel_size.values()[i] - 1) * options_.dilation_rate.values()[i] + 1;
    const int64_t positions = options_.padding == "same" ? spatial_[i] : spatial_[i] - window + 1;
    if (positions < 0) {
      throw ValueError(
          "ConvLSTM: the kernel is larger than the inputs. Received: a window of {} over {} "
          "positions.",
          window, spatial_[i]);
    }
    shape.push_back(ceil_div(positions, stride));
  }
  shape.push_back(options_.filters);
  return shape;
}

Nest ConvLSTMCell::initial_state(int64_t batch) const {
  Tensor zeros = ops::zeros(state_shape(batch), compute_dtype());
  if (channels_first_) zeros = channels_to_first(zeros);
  return Nest{zeros, zeros};
}

CellSequence ConvLSTMCell::begin(int64_t batch, bool training) {
  const Tensor kernel = value_of(kernel_);
  const Tensor recurrent = value_of(recurrent_kernel_);
  const Tensor bias = options_.use_bias ? value_of(bias_) : Tensor();
  const bool first = channels_first_;
  const int rank = rank_;
  const int64_t filters = options_.filters;
  const Window window{this, options_.kernel_size.values(), options_.strides.values(),
                      options_.dilation_rate.values(), options_.padding};
  const std::vector<int64_t> ones(static_cast<size_t>(rank), 1);
  const Window state_window{this, options_.kernel_size.values(), ones, ones, "same"};
  GateDropout dropout;
  GateDropout recurrent_dropout;
  if (training && seed_generator_) {
    Shape shape{batch};
    for (int64_t size : spatial_) shape.push_back(size);
    shape.push_back(channels_);
    dropout =
        GateDropout(*seed_generator_, options_.dropout, shape, compute_dtype(), kConvLstmGates);
    recurrent_dropout = GateDropout(*seed_generator_, options_.recurrent_dropout,
                                    state_shape(batch), compute_dtype(), kConvLstmGates);
  }
  const auto project = [=](const Tensor& x) {
    Tensor input = x;
    if (first) input = x.rank() == rank + 2 ? channels_to_last(x) : step_channels_to_last(x);
    const Tensor y = convolve(input, kernel, window, dropout, filters);
    return bias.defined() ? y + bias : y;
  };
  const auto step = [=, activation = options_.activation, gate = options_.recurrent_activation](
                        const Tensor& x, const Nest& states) {
    const auto to_last = [&](const Tensor& t) { return first ? channels_to_last(t) : t; };
    const auto from_last = [&](const Tensor& t) { return first ? channels_to_first(t) : t; };
    const Tensor z = x + convolve(to_last(states[0].tensor()), recurrent, state_window,
                                  recurrent_dropout, filters);
    const Tensors parts = ops::split(z, kConvLstmGates, -1);
    const Tensor c =
        gate(parts[1]) * to_last(states[1].tensor()) + gate(parts[0]) * activation(parts[2]);
    const Tensor h = from_last(gate(parts[3]) * activation(c));
    return CellResult{h, Nest{h, from_last(c)}};
  };
  return {.project = project, .step = step};
}

}  // namespace antler
