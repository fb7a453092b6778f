#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/tensor.h"
#include "antler/ops/numpy/complex.h"

/// Fourier transforms along the last axis, of any length; computed in double on the host, complex
/// numbers as pairs. Differentiable.
namespace antler::ops {

Complex fft(const Complex& x);
/// 1 / n included.
Complex ifft(const Complex& x);
/// Along the last two axes.
Complex fft2(const Complex& x);
Complex ifft2(const Complex& x);
/// The first fft_length / 2 + 1 numbers of the transform of real ones, cut or filled with zeros to
/// `fft_length` (default: the size).
Complex rfft(const Tensor& x, std::optional<int64_t> fft_length = {});
/// What rfft() was made of; `fft_length` is 2 (size - 1) where not given.
Tensor irfft(const Complex& x, std::optional<int64_t> fft_length = {});

/// rfft() of overlapping stretches: [..., frames, fft_length / 2 + 1]. `window`: a name that
/// SciPy's get_window has, or "" for none, of `sequence_length`, centred in fft_length. `center`:
/// the signal is reflected at its ends, so that frame i lies around sample i * stride.
Complex stft(const Tensor& x, int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
             const std::string& window = "hann", bool center = true);
/// The signal of a stft() with the same arguments, `length` samples of it.
Tensor istft(const Complex& x, int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
             std::optional<int64_t> length = {}, const std::string& window = "hann",
             bool center = true);
/// Overlapping stretches of the last axis: [..., 1 + (size - length) / stride, length].
Tensor extract_sequences(const Tensor& x, int64_t length, int64_t stride);

}  // namespace antler::ops
