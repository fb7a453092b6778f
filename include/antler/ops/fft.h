#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/tensor.h"
#include "antler/ops/numpy/complex.h"

/// Fourier transforms along the last axis, of any length. They run on the host in double precision.
/// Differentiable.
namespace antler::ops {

Complex fft(const Complex& x);
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

/// rfft() of overlapping frames: [..., frames, fft_length / 2 + 1]. `window` is a window name of
/// SciPy's get_window, or "" for none; it has `sequence_length` values, centered in fft_length.
/// `center` pads the signal by reflection, so that frame i is centered at sample i * stride.
Complex stft(const Tensor& x, int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
             const std::string& window = "hann", bool center = true);
/// The inverse of stft() with the same arguments; returns `length` samples if given.
Tensor istft(const Complex& x, int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
             std::optional<int64_t> length = {}, const std::string& window = "hann",
             bool center = true);
/// Overlapping frames of the last axis: [..., 1 + (size - length) / stride, length].
Tensor extract_sequences(const Tensor& x, int64_t length, int64_t stride);

}  // namespace antler::ops
