#pragma once

#include <optional>
#include <vector>

#include "antler/core/tensor.h"

/// Element-wise functions of keras.ops that are formulas of those in elementwise.h: they broadcast
/// and promote dtypes as these do, and are differentiable where their formula is.
namespace antler::ops {

// Other names of what elementwise.h has.
Tensor abs(const Tensor& x);
Tensor fabs(const Tensor& x);  ///< of integers: float32
Tensor true_divide(const Tensor& x, const Tensor& y);
Tensor bitwise_invert(const Tensor& x);
Tensor bitwise_left_shift(const Tensor& x, const Tensor& y);
Tensor bitwise_right_shift(const Tensor& x, const Tensor& y);
Tensor copy(const Tensor& x);

// Powers, angles, special functions.
Tensor cbrt(const Tensor& x);
Tensor exp2(const Tensor& x);
Tensor deg2rad(const Tensor& x);
Tensor rad2deg(const Tensor& x);
/// sin(pi x) / (pi x), 1 at 0.
Tensor sinc(const Tensor& x);
/// 1 - erf(x), without loss of digits for large x.
Tensor erfc(const Tensor& x);
/// Modified Bessel function of order 0, to the precision of float32 (Abramowitz and Stegun 9.8.1,
/// 9.8.2).
Tensor i0(const Tensor& x);
/// sqrt(x^2 + y^2), without overflow of the squares.
Tensor hypot(const Tensor& x, const Tensor& y);
/// log2(2^x + 2^y).
Tensor logaddexp2(const Tensor& x, const Tensor& y);
/// x * 2^exponent.
Tensor ldexp(const Tensor& x, const Tensor& exponent);

// Comparisons that look at NaN and infinity.
/// The larger / smaller one; a NaN loses against a number.
Tensor fmax(const Tensor& x, const Tensor& y);
Tensor fmin(const Tensor& x, const Tensor& y);
/// Remainder with the sign of the dividend (C's fmod).
Tensor fmod(const Tensor& x, const Tensor& y);
/// 0 below 0, `at_zero` at 0, 1 above.
Tensor heaviside(const Tensor& x, const Tensor& at_zero);
Tensor isneginf(const Tensor& x);
Tensor isposinf(const Tensor& x);
/// Whether the sign bit is set: of -0.0, too.
Tensor signbit(const Tensor& x);
/// |x - y| <= atol + rtol |y|, boolean; infinities are close to themselves only.
Tensor isclose(const Tensor& x, const Tensor& y, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
/// Whether isclose() holds everywhere, [].
Tensor allclose(const Tensor& x, const Tensor& y, double rtol = 1e-5, double atol = 1e-8,
                bool equal_nan = false);
/// NaN and infinities replaced; infinities, where nothing is given, by the largest and the smallest
/// number of the dtype.
Tensor nan_to_num(const Tensor& x, double nan = 0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {});
/// The number of x's dtype that follows x in the direction of y. float16, bfloat16, float32,
/// float64.
Tensor nextafter(const Tensor& x, const Tensor& y);

// Integers.
/// Greatest common divisor, least common multiple; not negative. Throws TypeError for others than
/// integers.
Tensor gcd(const Tensor& x, const Tensor& y);
Tensor lcm(const Tensor& x, const Tensor& y);

/// Element of choices[i] for the first i whose condition holds there, else of `otherwise`. Throws
/// ValueError unless there are as many conditions as choices, one at least.
Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices,
              const Tensor& otherwise = 0);
/// cast() of what was limited to the numbers of `dtype`.
Tensor saturate_cast(const Tensor& x, DType dtype);
/// The bytes read as another dtype of the same size (NumPy's view); wider and narrower ones change
/// the last dimension. Throws ValueError where its size does not allow it.
Tensor view(const Tensor& x, DType dtype);

// Complex numbers are pairs of real ones.
struct Complex {
  Tensor real;
  Tensor imag;
};
/// [..., 2] as complex numbers [...], and back.
Complex view_as_complex(const Tensor& x);
Tensor view_as_real(const Complex& x);
/// absolute * (cos(angle), sin(angle)).
Complex polar(const Tensor& absolute, const Tensor& angle);
Tensor angle(const Complex& x);
/// Angle of real numbers: 0, or pi below 0.
Tensor angle(const Tensor& x);
// Their parts, and those of real numbers: themselves and zeros.
inline Tensor real(const Complex& x) { return x.real; }
inline Tensor imag(const Complex& x) { return x.imag; }
inline Tensor real(const Tensor& x) { return x; }
Tensor imag(const Tensor& x);
/// Where the imaginary part is 0.
Tensor isreal(const Complex& x);
Tensor isreal(const Tensor& x);
Complex conjugate(const Complex& x);
Complex conj(const Complex& x);

}  // namespace antler::ops
