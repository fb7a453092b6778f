#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/ops/numpy/complex.h"

/// Fourier transforms along the last axis, of any length. They run on the host in double precision.
/// Differentiable.
namespace antler::ops {

Complex fft(const Complex& x);  ///< sum(x e^(-2 pi i j k / n)) for each k
/// Scaled by 1 / n.
Complex ifft(const Complex& x);
/// fft() along the last two axes.
Complex fft2(const Complex& x);
Complex ifft2(const Complex& x);
/// The first fft_length / 2 + 1 values of the transform of real numbers, which are cut or padded
/// with zeros to `fft_length` (default: their size).
Complex rfft(const Tensor& x, std::optional<int64_t> fft_length = {});
/// The inverse of rfft(). The default `fft_length` is 2 (size - 1).
Tensor irfft(const Complex& x, std::optional<int64_t> fft_length = {});

/// Options of stft().
struct StftOptions {
  /// A name of SciPy's get_window, or "" for none. It has `sequence_length` values, centered in
  /// fft_length.
  std::string window = "hann";
  /// Pads the signal by reflection, so that frame i is centered at sample i * stride.
  bool center = true;
};
/// rfft() of overlapping frames: [..., frames, fft_length / 2 + 1].
Complex stft(const Tensor& x, int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
             const StftOptions& options = {});
ANTLER_KEYWORD_FUNCTION(stft, StftOptions, const Tensor&, int64_t, int64_t, int64_t)
/// Options of istft().
struct IstftOptions {
  std::optional<int64_t> length = {};  ///< samples of the result; default: all
  std::string window = "hann";         ///< as in StftOptions
  bool center = true;                  ///< likewise
};
/// The inverse of stft() with the same arguments.
Tensor istft(const Complex& x, int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
             const IstftOptions& options = {});
ANTLER_KEYWORD_FUNCTION(istft, IstftOptions, const Complex&, int64_t, int64_t, int64_t)
/// Overlapping frames of the last axis: [..., 1 + (size - length) / stride, length].
Tensor extract_sequences(const Tensor& x, int64_t length, int64_t stride);

}  // namespace antler::ops
