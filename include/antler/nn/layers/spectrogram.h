#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/nn/layer_of.h"

/// Short-time Fourier transforms of signals.
namespace antler {

/// Options of MelSpectrogram.
struct MelSpectrogramOptions {
  int64_t fft_length = 2048;                    ///< samples of a transform
  int64_t sequence_stride = 512;                ///< samples from one frame to the next
  std::optional<int64_t> sequence_length = {};  ///< length of the window; not given: fft_length
  std::optional<std::string> window = "hann";   ///< or "hamming"; not given: none
  int64_t sampling_rate = 16000;                ///< Hz
  int64_t num_mel_bins = 128;                   ///< bands of the result
  double min_freq = 20;                         ///< Hz
  std::optional<double> max_freq = {};          ///< Hz; not given: half of the sampling rate
  bool power_to_db = true;                      ///< decibels relative to ref_power
  double top_db = 80;                           ///< values are at most this far below the largest
  double mag_exp = 2;                           ///< 1: energy, 2: power
  double min_power = 1e-10;                     ///< smaller powers count as this
  double ref_power = 1;                         ///< the power of 0 dB
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// From signals [samples] or [batch, samples] to [..., num_mel_bins, frames]. Frames are centered,
/// and the signal is reflected at its ends. Bands are triangles on HTK's mel scale.
class MelSpectrogram : public LayerOf<MelSpectrogram, MelSpectrogramOptions> {
 public:
  /// Throws ValueError if sequence_length exceeds fft_length.
  explicit MelSpectrogram(const MelSpectrogramOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MelSpectrogram, MelSpectrogramOptions)
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  Tensor magnitudes(const Tensor& signals) const;
  Tensor bands() const;
};

/// Options of STFTSpectrogram.
struct STFTSpectrogramOptions {
  /// "log", "magnitude", "psd", "real", "imag", "angle" or "stft" (real and imaginary parts)
  std::string mode = "log";
  int64_t frame_length = 256;                      ///< samples of a frame
  std::optional<int64_t> frame_step = {};          ///< not given: frame_length / 2
  std::optional<int64_t> fft_length = {};          ///< not given: the next power of two
  std::optional<std::string> window = "hann";      ///< SciPy's name; not given: none
  bool periodic = false;                           ///< the window is periodic
  std::optional<std::string> scaling = "density";  ///< or "spectrum", or nothing
  std::string padding = "valid";                   ///< or "same"
  bool expand_dims = false;                        ///< separate axes for channels and frequencies

  /// "channels_last" or "channels_first"; not given: the global setting.
  std::optional<std::string> data_format = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// From signals [batch, samples, channels] to [batch, frames, channels * frequencies], by a
/// convolution whose kernels start as windowed sines and cosines and can be trained.
class STFTSpectrogram : public LayerOf<STFTSpectrogram, STFTSpectrogramOptions> {
 public:
  /// Throws ValueError for unknown names, a frame_step above frame_length, or an fft_length below
  /// it.
  explicit STFTSpectrogram(const STFTSpectrogramOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(STFTSpectrogram, STFTSpectrogramOptions)
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;

 private:
  int64_t step() const { return options_.frame_step.value_or(options_.frame_length / 2); }
  int64_t fft_length() const;
  Initializer kernel_initializer(const char* side) const;
  /// [batch, channels, frequencies, frames].
  Tensor transformed(const Tensor& input, const Variable& kernel) const;
  Tensor arrange(const Tensor& x) const;
  bool channels_first_ = false;
  Variable real_kernel_;
  Variable imag_kernel_;
};

}  // namespace antler
