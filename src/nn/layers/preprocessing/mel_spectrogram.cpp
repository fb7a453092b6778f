#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "antler/nn/layers/spectrogram.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/classes.h"
#include "ops/window_functions.h"

namespace antler {

template <class V>
void fields(V& v, MelSpectrogramOptions& o) {
  v("fft_length", o.fft_length);
  v("sequence_stride", o.sequence_stride);
  v("sequence_length", o.sequence_length);
  v("window", o.window);
  v("sampling_rate", o.sampling_rate);
  v("num_mel_bins", o.num_mel_bins);
  v("min_freq", o.min_freq);
  v("max_freq", o.max_freq);
  v("power_to_db", o.power_to_db);
  v("top_db", o.top_db);
  v("mag_exp", o.mag_exp);
  v("min_power", o.min_power);
  v("ref_power", o.ref_power);
}

namespace {

double hertz_to_mel(double hertz) { return 1127.0 * std::log(1.0 + hertz / 700.0); }

/// Extends the last axis by `count` reflected values at both ends, without repeating the end
/// values.
Tensor reflect_ends(const Tensor& x, int64_t count) {
  if (count == 0) return x;
  const int64_t size = x.dim(-1);
  if (size <= count) {
    throw ValueError(
        "MelSpectrogram: a signal must be longer than fft_length / 2 = {}. Received shape {}",
        count, x.shape());
  }
  const int64_t axis = x.rank() - 1;
  const Tensor head = ops::reverse(ops::slice_axis(x, axis, 1, count + 1), {axis});
  const Tensor tail = ops::reverse(ops::slice_axis(x, axis, size - count - 1, size - 1), {axis});
  return ops::concatenate({head, x, tail}, axis);
}

}  // namespace

MelSpectrogram::MelSpectrogram(const MelSpectrogramOptions& options) : LayerOf(options) {
  if (!options_.sequence_length) options_.sequence_length = options_.fft_length;
  if (!options_.max_freq) options_.max_freq = static_cast<double>(options_.sampling_rate / 2);
  if (options_.fft_length < *options_.sequence_length) {
    throw ValueError(
        "`fft_length` must be greater than or equal to `sequence_length`. Received: "
        "`sequence_length`={}, `fft_length`={}.",
        *options_.sequence_length, options_.fft_length);
  }
  if (options_.window && *options_.window != "hann" && *options_.window != "hamming") {
    throw ValueError(
        "If a string is passed to `window`, it must be one of `\"hann\"`, `\"hamming\"`. Received: "
        "window={}",
        *options_.window);
  }
}

/// [batch, frames, fft_length / 2 + 1]: transforms each frame by a convolution with windowed sines
/// and cosines.
Tensor MelSpectrogram::magnitudes(const Tensor& signals) const {
  const int64_t length = options_.fft_length;
  const int64_t bins = length / 2 + 1;
  const int64_t used = *options_.sequence_length;
  const int64_t before = (length - used) / 2;
  std::vector<double> window(static_cast<size_t>(used), 1.0);
  if (options_.window) window = ops::window_function(*options_.window, used, true);
  std::vector<float> waves(static_cast<size_t>(length * 2 * bins), 0.0F);
  for (int64_t t = 0; t < used; ++t) {
    float* row = waves.data() + (t + before) * 2 * bins;
    for (int64_t f = 0; f < bins; ++f) {
      // The phase is reduced modulo a full turn, so that long transforms stay accurate.
      const auto phase = static_cast<double>((t + before) * f % length);
      const double angle = 2 * std::numbers::pi * phase / static_cast<double>(length);
      row[f] = static_cast<float>(window[static_cast<size_t>(t)] * std::cos(angle));
      row[bins + f] = static_cast<float>(-window[static_cast<size_t>(t)] * std::sin(angle));
    }
  }
  const Tensor padded = ops::expand_dims(reflect_ends(signals, length / 2), -1);
  const Tensor parts = ops::conv(padded, Tensor::of(waves, Shape{length, 1, 2 * bins}),
                                 {.strides = {options_.sequence_stride}});
  const Tensor squares = ops::square(parts);
  const Tensor magnitude =
      ops::sqrt(ops::slice_axis(squares, 2, 0, bins) + ops::slice_axis(squares, 2, bins, 2 * bins));
  return ops::power(magnitude, options_.mag_exp);
}

/// [fft_length / 2 + 1, num_mel_bins]; frequency 0 is in no band.
Tensor MelSpectrogram::bands() const {
  const int64_t bins = options_.fft_length / 2 + 1;
  const int64_t mels = options_.num_mel_bins;
  const double low = hertz_to_mel(options_.min_freq);
  const double high = hertz_to_mel(*options_.max_freq);
  const auto edge = [&](int64_t i) {
    return low + (high - low) * static_cast<double>(i) / static_cast<double>(mels + 1);
  };
  std::vector<float> weights(static_cast<size_t>(bins * mels), 0.0F);
  for (int64_t f = 1; f < bins; ++f) {
    const double mel = hertz_to_mel(static_cast<double>(options_.sampling_rate) / 2 *
                                    static_cast<double>(f) / static_cast<double>(bins - 1));
    for (int64_t m = 0; m < mels; ++m) {
      const double rising = (mel - edge(m)) / (edge(m + 1) - edge(m));
      const double falling = (edge(m + 2) - mel) / (edge(m + 2) - edge(m + 1));
      weights[static_cast<size_t>(f * mels + m)] =
          static_cast<float>(std::max(0.0, std::min(rising, falling)));
    }
  }
  return Tensor::of(weights, Shape{bins, mels});
}

Tensor MelSpectrogram::call(const Tensor& input, const CallOptions&) {
  const bool single = input.rank() == 1;
  if (!single && input.rank() != 2) {
    throw ValueError(
        "MelSpectrogram: expected signals [samples] or [batch, samples]. Received shape {}",
        input.shape());
  }
  Tensor x = ops::cast(input, DType::float32);
  if (single) x = ops::expand_dims(x, 0);
  x = ops::tensordot(magnitudes(x), bands(), 1);
  if (options_.power_to_db) {
    const auto decibel = [&](const Tensor& power) {
      return 10.0 * ops::log10(ops::maximum(power, options_.min_power));
    };
    x = decibel(x) - 10.0 * std::log10(std::max(std::abs(options_.ref_power), options_.min_power));
    x = ops::maximum(x, ops::max(x) - options_.top_db);
  }
  x = ops::swapaxes(x, 1, 2);
  if (single) x = ops::squeeze(x, 0);
  return ops::cast(x, compute_dtype());
}

LayerClasses mel_spectrogram_layers() { return layer_classes<MelSpectrogram>(); }

}  // namespace antler
