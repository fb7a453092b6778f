// The discrete Fourier transform as an op.
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/numpy/complex.h"
#include "antler/ops/numpy/creation.h"
#include "core/doubles.h"
#include "ops/families.h"
#include "ops/fft/fourier.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;

/// exp(sign i 2 pi k / n).
Number root_of_unity(int64_t k, int64_t n, double sign) {
  const double turn = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(turn), sign * std::sin(turn)};
}

/// In place, for a power-of-two length (Cooley and Tukey 1965).
void transform_power_of_two(Numbers& x, double sign) {
  const size_t n = x.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  Numbers roots(n / 2);
  for (size_t k = 0; k < roots.size(); ++k) {
    roots[k] = root_of_unity(static_cast<int64_t>(k), static_cast<int64_t>(n), sign);
  }
  for (size_t half = 1; half < n; half *= 2) {
    const size_t step = n / (2 * half);
    for (size_t start = 0; start < n; start += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        const Number odd = x[start + half + k] * roots[k * step];
        x[start + half + k] = x[start + k] - odd;
        x[start + k] += odd;
      }
    }
  }
}

/// For any length: a convolution with a chirp (Bluestein 1970).
void transform(Numbers& x, double sign) {
  const size_t n = x.size();
  if ((n & (n - 1)) == 0) return transform_power_of_two(x, sign);
  size_t padded = 1;
  while (padded < 2 * n - 1) padded *= 2;
  Numbers chirp(n);
  for (size_t k = 0; k < n; ++k) {
    // k^2 modulo the period keeps the angle exact.
    const auto square = static_cast<int64_t>(k * k % (2 * n));
    chirp[k] = root_of_unity(square, static_cast<int64_t>(2 * n), sign);
  }
  Numbers a(padded);
  Numbers b(padded);
  for (size_t k = 0; k < n; ++k) a[k] = x[k] * chirp[k];
  for (size_t k = 0; k < n; ++k) b[k] = b[(padded - k) % padded] = std::conj(chirp[k]);
  transform_power_of_two(a, -1);
  transform_power_of_two(b, -1);
  for (size_t k = 0; k < padded; ++k) a[k] *= b[k];
  transform_power_of_two(a, 1);
  for (size_t k = 0; k < n; ++k) x[k] = a[k] / static_cast<double>(padded) * chirp[k];
}

std::vector<TensorSpec> infer_fourier(const ir::InferArgs& args) {
  const TensorSpec& real = args.inputs[0];
  if (!is_floating(real.dtype) || real.shape.rank() == 0 || !(real == args.inputs[1])) {
    throw ValueError(
        "ops::fft: expected real and imaginary floats of the same shape, of rank at least 1. "
        "Received: {} and {}.",
        spec_str(real), spec_str(args.inputs[1]));
  }
  return {real, real};
}

void reference_fourier(const ir::ReferenceArgs& args) {
  std::vector<double> real = args.inputs[0].to_doubles();
  std::vector<double> imag = args.inputs[1].to_doubles();
  const auto n = static_cast<size_t>(args.inputs[0].dim(-1));
  const double sign = args.attrs.flag("inverse") ? 1 : -1;
  Numbers row(n);
  for (size_t start = 0; n > 0 && start < real.size(); start += n) {
    for (size_t k = 0; k < n; ++k) row[k] = {real[start + k], imag[start + k]};
    transform(row, sign);
    for (size_t k = 0; k < n; ++k) {
      real[start + k] = row[k].real();
      imag[start + k] = row[k].imag();
    }
  }
  store_doubles(args.outputs[0], real);
  store_doubles(args.outputs[1], imag);
}

/// The adjoint is the transform in the other direction.
Tensors fourier_vjp(const ir::VjpArgs& v) {
  const auto grad = [&](size_t i) {
    return v.grads[i].defined() ? v.grads[i] : zeros_like(v.inputs[i]);
  };
  const Complex x = fourier({grad(0), grad(1)}, !v.attrs.flag("inverse"));
  return {x.real, x.imag};
}

constinit const ir::OpDef kFourier = {
    .name = "fourier", .infer = infer_fourier, .vjp = fourier_vjp, .reference = reference_fourier};

}  // namespace

OpSpan fourier_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kFourier};
  return kOps;
}

Complex fourier(const Complex& x, bool inverse) {
  const Operands parts = promote("fft", x.real, x.imag);
  const Tensors y = ir::emit(kFourier, {to_float("fft", parts.x), to_float("fft", parts.y)},
                             {{"inverse", inverse}});
  return {y[0], y[1]};
}

}  // namespace antler::ops
