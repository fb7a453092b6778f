#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

/// Element-wise functions. Binary functions broadcast as in NumPy and promote dtypes as `keras.ops`
/// does. Unary functions of floats convert integers to default_float(), also like `keras.ops`.
namespace antler::ops {

// Arithmetic.
Tensor add(const Tensor& x, const Tensor& y);       ///< x + y
Tensor subtract(const Tensor& x, const Tensor& y);  ///< x - y
Tensor multiply(const Tensor& x, const Tensor& y);  ///< x * y
/// True division: integers give default_float().
Tensor divide(const Tensor& x, const Tensor& y);
Tensor true_divide(const Tensor& x, const Tensor& y);
/// 0 where y is 0.
Tensor divide_no_nan(const Tensor& x, const Tensor& y);
Tensor floor_divide(const Tensor& x, const Tensor& y);
/// Remainder with the sign of the divisor.
Tensor mod(const Tensor& x, const Tensor& y);
/// Remainder with the sign of the dividend (C's fmod).
Tensor fmod(const Tensor& x, const Tensor& y);
Tensor power(const Tensor& x, const Tensor& y);
/// sqrt(x^2 + y^2) without overflow.
Tensor hypot(const Tensor& x, const Tensor& y);
Tensor squared_difference(const Tensor& x, const Tensor& y);
Tensor negative(const Tensor& x);
Tensor absolute(const Tensor& x);
Tensor abs(const Tensor& x);
Tensor fabs(const Tensor& x);  ///< converts integers to default_float()
Tensor sign(const Tensor& x);
Tensor square(const Tensor& x);
Tensor reciprocal(const Tensor& x);
/// Greatest common divisor, least common multiple; never negative. Throws TypeError unless both
/// arguments are integers.
Tensor gcd(const Tensor& x, const Tensor& y);
Tensor lcm(const Tensor& x, const Tensor& y);

// Minimum and maximum.
Tensor maximum(const Tensor& x, const Tensor& y);  ///< the larger element; NaN if either is
Tensor minimum(const Tensor& x, const Tensor& y);  ///< the smaller element; NaN if either is
/// Maximum / minimum that ignores NaN.
Tensor fmax(const Tensor& x, const Tensor& y);
Tensor fmin(const Tensor& x, const Tensor& y);
/// Limits to [low, high].
Tensor clip(const Tensor& x, const Tensor& low, const Tensor& high);
/// Options of nan_to_num().
struct NanToNumOptions {
  double nan = 0;                     ///< in place of NaN
  std::optional<double> posinf = {};  ///< default: the largest number of the dtype
  std::optional<double> neginf = {};  ///< default: the lowest number of the dtype
};
/// Replaces NaN and infinities.
Tensor nan_to_num(const Tensor& x, const NanToNumOptions& options = {});
ANTLER_KEYWORD_FUNCTION(nan_to_num, NanToNumOptions, const Tensor&)

// Exponentials, logarithms, roots.
Tensor exp(const Tensor& x);                         ///< e^x
Tensor exp2(const Tensor& x);                        ///< 2^x
Tensor expm1(const Tensor& x);                       ///< e^x - 1, accurate for small x
Tensor log(const Tensor& x);                         ///< natural logarithm
Tensor log1p(const Tensor& x);                       ///< log(1 + x), accurate for small x
Tensor log2(const Tensor& x);                        ///< logarithm to base 2
Tensor log10(const Tensor& x);                       ///< logarithm to base 10
Tensor logaddexp(const Tensor& x, const Tensor& y);  ///< log(e^x + e^y) without overflow
/// log2(2^x + 2^y).
Tensor logaddexp2(const Tensor& x, const Tensor& y);
Tensor sqrt(const Tensor& x);
Tensor rsqrt(const Tensor& x);
Tensor cbrt(const Tensor& x);
/// x * 2^exponent.
Tensor ldexp(const Tensor& x, const Tensor& exponent);

// Trigonometry.
Tensor sin(const Tensor& x);                       ///< of radians
Tensor cos(const Tensor& x);                       ///< of radians
Tensor tan(const Tensor& x);                       ///< of radians
Tensor arcsin(const Tensor& x);                    ///< in radians
Tensor arccos(const Tensor& x);                    ///< in radians
Tensor arctan(const Tensor& x);                    ///< in radians
Tensor arctan2(const Tensor& y, const Tensor& x);  ///< angle of the point (x, y), in radians
Tensor sinh(const Tensor& x);                      ///< hyperbolic sine
Tensor cosh(const Tensor& x);                      ///< hyperbolic cosine
Tensor tanh(const Tensor& x);                      ///< hyperbolic tangent
Tensor arcsinh(const Tensor& x);                   ///< inverse hyperbolic sine
Tensor arccosh(const Tensor& x);                   ///< inverse hyperbolic cosine
Tensor arctanh(const Tensor& x);                   ///< inverse hyperbolic tangent
Tensor deg2rad(const Tensor& x);                   ///< degrees to radians
Tensor rad2deg(const Tensor& x);                   ///< radians to degrees
/// sin(pi x) / (pi x), 1 at 0.
Tensor sinc(const Tensor& x);

// Special functions.
Tensor erf(const Tensor& x);  ///< error function
/// 1 - erf(x), accurate for large x.
Tensor erfc(const Tensor& x);
Tensor erfinv(const Tensor& x);
Tensor lgamma(const Tensor& x);
Tensor digamma(const Tensor& x);
/// Modified Bessel function of the first kind of order 0, with the precision of float32 (Abramowitz
/// and Stegun 9.8.1, 9.8.2).
Tensor i0(const Tensor& x);

// Rounding and classification.
Tensor floor(const Tensor& x);  ///< largest integer that is not above x
Tensor ceil(const Tensor& x);   ///< smallest integer that is not below x
/// Halves go to the even neighbor, as in NumPy.
Tensor round(const Tensor& x);
/// Rounds to this many decimals; to tens, hundreds, ... if negative.
Tensor round(const Tensor& x, int64_t decimals);
Tensor trunc(const Tensor& x);
Tensor isfinite(const Tensor& x);
Tensor isinf(const Tensor& x);
Tensor isnan(const Tensor& x);
Tensor isneginf(const Tensor& x);
Tensor isposinf(const Tensor& x);
/// Whether the sign bit is set; true for -0.0.
Tensor signbit(const Tensor& x);
/// The next representable number after x towards y. Floats only.
Tensor nextafter(const Tensor& x, const Tensor& y);
/// 0 for negative x, `at_zero` for 0, else 1.
Tensor heaviside(const Tensor& x, const Tensor& at_zero);

// Comparison (boolean results).
Tensor equal(const Tensor& x, const Tensor& y);          ///< x == y
Tensor not_equal(const Tensor& x, const Tensor& y);      ///< x != y
Tensor less(const Tensor& x, const Tensor& y);           ///< x < y
Tensor less_equal(const Tensor& x, const Tensor& y);     ///< x <= y
Tensor greater(const Tensor& x, const Tensor& y);        ///< x > y
Tensor greater_equal(const Tensor& x, const Tensor& y);  ///< x >= y
/// Options of isclose().
struct IscloseOptions {
  double rtol = 1e-5;      ///< relative tolerance
  double atol = 1e-8;      ///< absolute tolerance
  bool equal_nan = false;  ///< NaN is close to NaN
};
/// |x - y| <= atol + rtol |y|. An infinity is close to itself only.
Tensor isclose(const Tensor& x, const Tensor& y, const IscloseOptions& options = {});
ANTLER_KEYWORD_FUNCTION(isclose, IscloseOptions, const Tensor&, const Tensor&)
/// Whether isclose() holds for all elements; a scalar.
Tensor allclose(const Tensor& x, const Tensor& y, const IscloseOptions& options = {});
ANTLER_KEYWORD_FUNCTION(allclose, IscloseOptions, const Tensor&, const Tensor&)

// Logic and bits.
/// Operands are converted to bool.
Tensor logical_and(const Tensor& x, const Tensor& y);
Tensor logical_or(const Tensor& x, const Tensor& y);
Tensor logical_xor(const Tensor& x, const Tensor& y);
Tensor logical_not(const Tensor& x);
Tensor bitwise_and(const Tensor& x, const Tensor& y);
Tensor bitwise_or(const Tensor& x, const Tensor& y);
Tensor bitwise_xor(const Tensor& x, const Tensor& y);
Tensor bitwise_not(const Tensor& x);
Tensor bitwise_invert(const Tensor& x);
Tensor left_shift(const Tensor& x, const Tensor& y);
/// An arithmetic shift for signed integers, a logical shift for unsigned ones.
Tensor right_shift(const Tensor& x, const Tensor& y);
Tensor bitwise_left_shift(const Tensor& x, const Tensor& y);
Tensor bitwise_right_shift(const Tensor& x, const Tensor& y);

// Selection.
/// `x` where `condition` is true, else `y`; all three broadcast.
Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y);
/// choices[i] for the first i whose condition is true, else `otherwise`. Throws ValueError unless
/// the numbers of conditions and choices are equal and at least 1.
Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices,
              const Tensor& otherwise = 0);

}  // namespace antler::ops

namespace antler {
inline Tensor operator+(const Tensor& x, const Tensor& y) { return ops::add(x, y); }
inline Tensor operator-(const Tensor& x, const Tensor& y) { return ops::subtract(x, y); }
inline Tensor operator*(const Tensor& x, const Tensor& y) { return ops::multiply(x, y); }
inline Tensor operator/(const Tensor& x, const Tensor& y) { return ops::divide(x, y); }
inline Tensor operator%(const Tensor& x, const Tensor& y) { return ops::mod(x, y); }
inline Tensor operator-(const Tensor& x) { return ops::negative(x); }
/// Bits of integers, logic of booleans: `(x > 0) & ~(y == 1)`.
inline Tensor operator&(const Tensor& x, const Tensor& y) { return ops::bitwise_and(x, y); }
inline Tensor operator|(const Tensor& x, const Tensor& y) { return ops::bitwise_or(x, y); }
inline Tensor operator^(const Tensor& x, const Tensor& y) { return ops::bitwise_xor(x, y); }
inline Tensor operator~(const Tensor& x) { return ops::bitwise_not(x); }
/// Compound assignments rebind this handle to the result; other handles keep the old value.
inline Tensor& operator+=(Tensor& x, const Tensor& y) { return x = ops::add(x, y); }
inline Tensor& operator-=(Tensor& x, const Tensor& y) { return x = ops::subtract(x, y); }
inline Tensor& operator*=(Tensor& x, const Tensor& y) { return x = ops::multiply(x, y); }
inline Tensor& operator/=(Tensor& x, const Tensor& y) { return x = ops::divide(x, y); }
/// Comparisons are element-wise and return booleans.
inline Tensor operator==(const Tensor& x, const Tensor& y) { return ops::equal(x, y); }
inline Tensor operator!=(const Tensor& x, const Tensor& y) { return ops::not_equal(x, y); }
inline Tensor operator<(const Tensor& x, const Tensor& y) { return ops::less(x, y); }
inline Tensor operator<=(const Tensor& x, const Tensor& y) { return ops::less_equal(x, y); }
inline Tensor operator>(const Tensor& x, const Tensor& y) { return ops::greater(x, y); }
inline Tensor operator>=(const Tensor& x, const Tensor& y) { return ops::greater_equal(x, y); }
}  // namespace antler
