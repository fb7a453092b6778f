#include <string>

#include "antler/nn/initializers.h"
#include "antler/nn/layers/spectrogram.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/encode.h"

namespace antler {

template <class V>
void fields(V& v, STFTSpectrogramOptions& o) {
  v("mode", o.mode);
  v("frame_length", o.frame_length);
  v("frame_step", o.frame_step);
  v("fft_length", o.fft_length);
  v("window", o.window);
  v("periodic", o.periodic);
  v("scaling", o.scaling);
  v("padding", o.padding);
  v("data_format", o.data_format);
  v("expand_dims", o.expand_dims);
}

STFTSpectrogram::STFTSpectrogram(const STFTSpectrogramOptions& options) : LayerOf(options) {
  check_choice("STFTSpectrogram", "mode", options.mode,
               {"log", "magnitude", "psd", "real", "imag", "angle", "stft"});
  check_choice("STFTSpectrogram", "padding", options.padding, {"valid", "same"});
  if (options.frame_length <= 0 || options.frame_step.value_or(1) <= 0) {
    throw ValueError(
        "`frame_length` and `frame_step` should be positive integers. Received: frame_length={}",
        options.frame_length);
  }
  if (step() < 1) {
    throw ValueError(
        "`frame_length` must be at least 2 if `frame_step` is not given. Received: frame_length={}",
        options.frame_length);
  }
  if (options.frame_step && *options.frame_step > options.frame_length) {
    throw ValueError(
        "`frame_step` should be a positive integer not greater than `frame_length`. Received: "
        "frame_step={}, frame_length={}",
        *options.frame_step, options.frame_length);
  }
  if (options.fft_length &&
      (*options.fft_length < options.frame_length || *options.fft_length % 2 != 0)) {
    throw ValueError(
        "`fft_length` should be not smaller than `frame_length`, and even. Received: fft_length={}",
        *options.fft_length);
  }
  kernel_initializer("real");  // throws ValueError for unknown windows and scalings
  if (!options_.data_format) options_.data_format = "channels_last";
  channels_first_ = is_channels_first(*options_.data_format, "STFTSpectrogram");
  set_input_spec({.ndim = 3});
}

Initializer STFTSpectrogram::kernel_initializer(const char* side) const {
  return initializers::STFT({.side = side,
                             .window = options_.window,
                             .scaling = options_.scaling,
                             .periodic = options_.periodic});
}

int64_t STFTSpectrogram::fft_length() const {
  if (options_.fft_length) return *options_.fft_length;
  int64_t length = 1;
  while (length < options_.frame_length) length *= 2;
  return length;
}

void STFTSpectrogram::build(const Shape&) {
  const auto kernel = [&](const char* name, const char* side) {
    return add_weight({.shape = {options_.frame_length, 1, fft_length() / 2 + 1},
                       .initializer = kernel_initializer(side),
                       .name = name});
  };
  if (options_.mode != "imag") real_kernel_ = kernel("real_kernel", "real");
  if (options_.mode != "real") imag_kernel_ = kernel("imag_kernel", "imag");
}

Tensor STFTSpectrogram::transformed(const Tensor& input, const Variable& kernel) const {
  const Tensor x = channels_first_ ? input : ops::transpose(input, {0, 2, 1});
  const int64_t batch = x.dim(0);
  const int64_t channels = x.dim(1);
  const int64_t samples = x.dim(2);
  ops::ConvDims dims{.strides = {step()}};
  if (options_.padding == "same") {
    const ops::Padding pad = ops::same_padding(samples, options_.frame_length, step());
    dims.pad_low = {pad.low};
    dims.pad_high = {pad.high};
  }
  const Tensor y =
      ops::conv(ops::reshape(x, Shape{batch * channels, samples, 1}), value_of(kernel), dims);
  return ops::transpose(ops::reshape(y, Shape{batch, channels, y.dim(1), y.dim(2)}), {0, 1, 3, 2});
}

/// From [batch, channels, frequencies, frames] to the layout of the data format.
Tensor STFTSpectrogram::arrange(const Tensor& x) const {
  if (options_.expand_dims) {
    return ops::transpose(
        x, channels_first_ ? std::vector<int64_t>{0, 1, 3, 2} : std::vector<int64_t>{0, 3, 2, 1});
  }
  const Tensor joined = ops::reshape(x, Shape{x.dim(0), x.dim(1) * x.dim(2), x.dim(3)});
  return channels_first_ ? joined : ops::transpose(joined, {0, 2, 1});
}

Tensor STFTSpectrogram::call(const Tensor& input, const CallOptions&) {
  constexpr double kEpsilon = 1e-7;
  const std::string& mode = options_.mode;
  if (mode == "real") return arrange(transformed(input, real_kernel_));
  if (mode == "imag") return arrange(transformed(input, imag_kernel_));
  const Tensor real = transformed(input, real_kernel_);
  const Tensor imag = transformed(input, imag_kernel_);
  if (mode == "angle") return arrange(ops::arctan2(imag, real));
  if (mode == "stft") return arrange(ops::concatenate({real, imag}, 2));
  const Tensor power = ops::square(real) + ops::square(imag);
  if (mode == "psd") {
    // The spectrum is one-sided, so all frequencies except the first and the last count twice.
    const int64_t last = power.dim(2) - 1;
    const Tensor inner = ops::slice_axis(power, 2, 1, last);
    return arrange(power + ops::pad(inner, {0, 0, 1, 0}, {0, 0, 1, 0}));
  }
  const Tensor magnitude = arrange(ops::sqrt(ops::maximum(power, kEpsilon)));
  return mode == "magnitude" ? magnitude : ops::log(ops::maximum(magnitude, kEpsilon));
}

LayerClasses stft_spectrogram_layers() { return layer_classes<STFTSpectrogram>(); }

}  // namespace antler
