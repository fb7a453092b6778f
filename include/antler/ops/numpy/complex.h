#pragma once

#include <utility>

#include "antler/core/tensor.h"

/// Complex numbers as pairs of real tensors.
namespace antler::ops {

/// Real and imaginary parts, of the same shape.
struct Complex {
  Complex() = default;
  Complex(Tensor real, Tensor imag) : real(std::move(real)), imag(std::move(imag)) {}
  Complex(std::pair<Tensor, Tensor> parts)  // NOLINT(google-explicit-constructor)
      : Complex(std::move(parts.first), std::move(parts.second)) {}
  Tensor real;
  Tensor imag;
};
/// [..., 2] to complex [...], and back.
Complex view_as_complex(const Tensor& x);
Tensor view_as_real(const Complex& x);
/// absolute * (cos(angle), sin(angle)).
Complex polar(const Tensor& absolute, const Tensor& angle);
Tensor angle(const Complex& x);
/// 0, or pi for negative numbers.
Tensor angle(const Tensor& x);
inline Tensor real(const Complex& x) { return x.real; }
inline Tensor real(const Tensor& x) { return x; }
inline Tensor imag(const Complex& x) { return x.imag; }
Tensor imag(const Tensor& x);
/// True where the imaginary part is 0.
Tensor isreal(const Complex& x);
Tensor isreal(const Tensor& x);
Complex conjugate(const Complex& x);
Complex conj(const Complex& x);

}  // namespace antler::ops
