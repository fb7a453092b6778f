#include "antler/ops/fft.h"

#include <algorithm>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/complex.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/fft/fourier.h"
#include "ops/support.h"
#include "ops/window_functions.h"

namespace antler::ops {
namespace {

Complex scaled(const Complex& x, double by) { return {multiply(x.real, by), multiply(x.imag, by)}; }

Complex with_last_axes_swapped(const Complex& x) {
  return {swapaxes(x.real, -1, -2), swapaxes(x.imag, -1, -2)};
}

/// The size of the last axis. Throws ValueError for a scalar.
int64_t samples_of(const char* function, const Tensor& x) {
  const Shape& shape = known_shape(function, x);
  if (shape.rank() > 0) return shape.back();
  throw ValueError("ops::{}: expected at least one axis. Received: x.shape={}.", function, shape);
}

/// Truncates the last axis or pads it with zeros at the end.
Tensor with_length(const Tensor& x, int64_t length) {
  std::vector<int64_t> low(static_cast<size_t>(x.rank()), 0);
  std::vector<int64_t> high = low;
  high.back() = length - x.dim(-1);
  return pad(x, low, high);
}

/// The window, padded with zeros on both sides to fft_length samples; all ones without a name.
Tensor centered_window(const std::string& name, int64_t length, int64_t fft_length, DType dtype) {
  std::vector<double> values(static_cast<size_t>(fft_length), name.empty() ? 1.0 : 0.0);
  if (!name.empty()) {
    const std::vector<double> window = window_function(name, length, true);
    std::copy(window.begin(), window.end(), values.begin() + (fft_length - length) / 2);
  }
  return cast(Tensor::of(values), dtype);
}

void check_frames(const char* function, int64_t length, int64_t stride, int64_t fft_length) {
  if (length >= 1 && stride >= 1 && fft_length >= length) return;
  throw ValueError(
      "ops::{}: expected 1 <= sequence_length <= fft_length and sequence_stride >= 1. Received: "
      "sequence_length={}, sequence_stride={}, fft_length={}.",
      function, length, stride, fft_length);
}

}  // namespace

Complex fft(const Complex& x) { return fourier(x, false); }
Complex ifft(const Complex& x) {
  return scaled(fourier(x, true), 1 / static_cast<double>(samples_of("ifft", x.real)));
}
Complex fft2(const Complex& x) {
  return with_last_axes_swapped(fft(with_last_axes_swapped(fft(x))));
}
Complex ifft2(const Complex& x) {
  return with_last_axes_swapped(ifft(with_last_axes_swapped(ifft(x))));
}

Complex rfft(const Tensor& x, std::optional<int64_t> fft_length) {
  const Tensor f = to_float("rfft", x);
  const int64_t given = samples_of("rfft", f);
  const int64_t n = fft_length.value_or(given);
  if (n < 1) {
    throw ValueError(
        "ops::rfft: expected at least one sample. Received: x.shape={}, fft_length={}.", x.shape(),
        n);
  }
  const Tensor row = with_length(f, n);
  const Complex y = fft({row, zeros_like(row)});
  return {slice_axis(y.real, -1, 0, n / 2 + 1), slice_axis(y.imag, -1, 0, n / 2 + 1)};
}

Tensor irfft(const Complex& x, std::optional<int64_t> fft_length) {
  const int64_t given = samples_of("irfft", x.real);
  const int64_t n = fft_length.value_or(2 * (given - 1));
  if (n < 1) {
    throw ValueError("ops::irfft: expected at least one sample. Received: fft_length={}.", n);
  }
  const int64_t half = n / 2 + 1;
  Tensor real = with_length(to_float("irfft", x.real), half);
  Tensor imag = with_length(to_float("irfft", x.imag), half);
  // The first value is real; for an even length, so is the last.
  const Tensor index = iota({half}, 0);
  Tensor is_real = equal(index, 0);
  if (n % 2 == 0) is_real = logical_or(is_real, equal(index, half - 1));
  imag = where(is_real, 0, imag);
  // The values at negative frequencies are the conjugates, in reverse order.
  const auto mirrored = [&](const Tensor& part) {
    return flip(slice_axis(part, -1, 1, n - half + 1), {-1});
  };
  real = concatenate({real, mirrored(real)}, -1);
  imag = concatenate({imag, negative(mirrored(imag))}, -1);
  return ifft({real, imag}).real;
}

Complex stft(const Tensor& x, int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
             const StftOptions& options) {
  check_frames("stft", sequence_length, sequence_stride, fft_length);
  Tensor signal = to_float("stft", x);
  if (options.center) {
    const int64_t side = fft_length / 2;
    const int64_t size = samples_of("stft", signal);
    if (side >= size) {
      throw ValueError(
          "ops::stft: with `center`, the signal must be longer than fft_length / 2. Received: "
          "x.shape={}, fft_length={}.",
          x.shape(), fft_length);
    }
    const Tensor before = flip(slice_axis(signal, -1, 1, side + 1), {-1});
    const Tensor after = flip(slice_axis(signal, -1, size - 1 - side, size - 1), {-1});
    signal = concatenate({before, signal, after}, -1);
  }
  const Tensor frames = extract_sequences(signal, fft_length, sequence_stride);
  return rfft(multiply(
      frames, centered_window(options.window, sequence_length, fft_length, frames.dtype())));
}

Tensor istft(const Complex& x, int64_t sequence_length, int64_t sequence_stride, int64_t fft_length,
             const IstftOptions& options) {
  check_frames("istft", sequence_length, sequence_stride, fft_length);
  const Tensor frames = irfft(x, fft_length);
  const Tensor weights =
      centered_window(options.window, sequence_length, fft_length, frames.dtype());
  const int64_t count = frames.dim(-2);
  const int64_t size = fft_length + sequence_stride * (count - 1);
  const Tensor positions = ravel(
      add(multiply(iota({count, fft_length}, 0), sequence_stride), iota({count, fft_length}, 1)));
  const auto overlap_add = [&](const Tensor& parts) {
    Shape batch(parts.shape().begin(), parts.shape().end() - 2);
    Shape flat = batch;
    flat.push_back(count * fft_length);
    batch.push_back(size);
    return scatter(filled(0, parts.dtype(), batch), positions, reshape(parts, flat),
                   ScatterMode::add, -1);
  };
  const Tensor sums = overlap_add(multiply(frames, weights));
  const Tensor norms = overlap_add(broadcast_to(square(weights), {count, fft_length}));
  constexpr double kSmallestNorm = 1e-10;
  const Tensor signal = divide(sums, where(greater(norms, kSmallestNorm), norms, 1));
  const auto& length = options.length;
  const int64_t start = options.center ? fft_length / 2 : 0;
  const int64_t end = length ? start + *length : (options.center ? size - fft_length / 2 : size);
  const Tensor part = slice_axis(signal, -1, start, std::min(end, size));
  return length ? with_length(part, *length) : part;
}

}  // namespace antler::ops
