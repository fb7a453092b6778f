#pragma once

#include "antler/core/dtype_arg.h"
#include "antler/core/tensor.h"

/// Element-wise operations. Binary operations broadcast as NumPy and promote dtypes as `keras.ops`;
/// unary operations on floats promote integers to float32 (`keras.ops` does the same). Every
/// function is one op of the graph plus, where needed, the `convert` and `broadcast` ops that bring
/// the operands to one dtype and shape.
namespace antler::ops {

// Arithmetic.
Tensor add(const Tensor& x, const Tensor& y);
Tensor subtract(const Tensor& x, const Tensor& y);
Tensor multiply(const Tensor& x, const Tensor& y);
/// True division: integers give float32.
Tensor divide(const Tensor& x, const Tensor& y);
Tensor divide_no_nan(const Tensor& x, const Tensor& y);
Tensor floor_divide(const Tensor& x, const Tensor& y);
/// Remainder with the sign of the divisor (NumPy's mod).
Tensor mod(const Tensor& x, const Tensor& y);
Tensor power(const Tensor& x, const Tensor& y);
Tensor maximum(const Tensor& x, const Tensor& y);
Tensor minimum(const Tensor& x, const Tensor& y);
Tensor arctan2(const Tensor& y, const Tensor& x);
Tensor squared_difference(const Tensor& x, const Tensor& y);
Tensor logaddexp(const Tensor& x, const Tensor& y);
Tensor negative(const Tensor& x);
Tensor absolute(const Tensor& x);
Tensor sign(const Tensor& x);
Tensor square(const Tensor& x);
Tensor reciprocal(const Tensor& x);

// Exponentials, roots, trigonometry, special functions.
Tensor exp(const Tensor& x);
Tensor expm1(const Tensor& x);
Tensor log(const Tensor& x);
Tensor log1p(const Tensor& x);
Tensor log2(const Tensor& x);
Tensor log10(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor rsqrt(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor tan(const Tensor& x);
Tensor arcsin(const Tensor& x);
Tensor arccos(const Tensor& x);
Tensor arctan(const Tensor& x);
Tensor sinh(const Tensor& x);
Tensor cosh(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor arcsinh(const Tensor& x);
Tensor arccosh(const Tensor& x);
Tensor arctanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor erf(const Tensor& x);
Tensor erfinv(const Tensor& x);
Tensor lgamma(const Tensor& x);
Tensor digamma(const Tensor& x);

// Rounding and classification.
Tensor floor(const Tensor& x);
Tensor ceil(const Tensor& x);
/// Halves to the even neighbour, as NumPy.
Tensor round(const Tensor& x);
Tensor trunc(const Tensor& x);
Tensor isfinite(const Tensor& x);
Tensor isinf(const Tensor& x);
Tensor isnan(const Tensor& x);

// Comparison (boolean results) and logic.
Tensor equal(const Tensor& x, const Tensor& y);
Tensor not_equal(const Tensor& x, const Tensor& y);
Tensor less(const Tensor& x, const Tensor& y);
Tensor less_equal(const Tensor& x, const Tensor& y);
Tensor greater(const Tensor& x, const Tensor& y);
Tensor greater_equal(const Tensor& x, const Tensor& y);
/// Operands are converted to bool.
Tensor logical_and(const Tensor& x, const Tensor& y);
Tensor logical_or(const Tensor& x, const Tensor& y);
Tensor logical_xor(const Tensor& x, const Tensor& y);
Tensor logical_not(const Tensor& x);
Tensor bitwise_and(const Tensor& x, const Tensor& y);
Tensor bitwise_or(const Tensor& x, const Tensor& y);
Tensor bitwise_xor(const Tensor& x, const Tensor& y);
Tensor bitwise_not(const Tensor& x);
Tensor left_shift(const Tensor& x, const Tensor& y);
/// Arithmetic for signed, logical for unsigned integers.
Tensor right_shift(const Tensor& x, const Tensor& y);

/// Element of `x` where `condition` holds, else of `y`; all three broadcast.
Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y);
/// Limits to [low, high].
Tensor clip(const Tensor& x, const Tensor& low, const Tensor& high);
/// Converts elements; float to integer truncates, anything to bool is `!= 0`.
Tensor cast(const Tensor& x, DTypeArg dtype);
/// Reinterprets the bytes; sizes must be equal.
Tensor bitcast(const Tensor& x, DType dtype);
/// The same value, of which no gradient flows back.
Tensor stop_gradient(const Tensor& x);

}  // namespace antler::ops

namespace antler {
inline Tensor operator+(const Tensor& x, const Tensor& y) { return ops::add(x, y); }
inline Tensor operator-(const Tensor& x, const Tensor& y) { return ops::subtract(x, y); }
inline Tensor operator*(const Tensor& x, const Tensor& y) { return ops::multiply(x, y); }
inline Tensor operator/(const Tensor& x, const Tensor& y) { return ops::divide(x, y); }
inline Tensor operator-(const Tensor& x) { return ops::negative(x); }
/// The handle then names the result; other handles keep the old value.
inline Tensor& operator+=(Tensor& x, const Tensor& y) { return x = ops::add(x, y); }
inline Tensor& operator-=(Tensor& x, const Tensor& y) { return x = ops::subtract(x, y); }
inline Tensor& operator*=(Tensor& x, const Tensor& y) { return x = ops::multiply(x, y); }
inline Tensor& operator/=(Tensor& x, const Tensor& y) { return x = ops::divide(x, y); }
/// Element by element, boolean.
inline Tensor operator==(const Tensor& x, const Tensor& y) { return ops::equal(x, y); }
inline Tensor operator!=(const Tensor& x, const Tensor& y) { return ops::not_equal(x, y); }
inline Tensor operator<(const Tensor& x, const Tensor& y) { return ops::less(x, y); }
inline Tensor operator<=(const Tensor& x, const Tensor& y) { return ops::less_equal(x, y); }
inline Tensor operator>(const Tensor& x, const Tensor& y) { return ops::greater(x, y); }
inline Tensor operator>=(const Tensor& x, const Tensor& y) { return ops::greater_equal(x, y); }
}  // namespace antler
