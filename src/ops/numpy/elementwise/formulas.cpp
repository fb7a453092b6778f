#include "antler/ops/numpy/elementwise.h"

#include <limits>
#include <numbers>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/complex.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Promotes both to the same float dtype.
Operands float_operands(const char* op, const Tensor& x, const Tensor& y) {
  const Operands both = promote(op, x, y);
  return {to_float(op, both.x), to_float(op, both.y)};
}

/// a[0] + a[1] x + a[2] x^2 + ...
Tensor polynomial(const Tensor& x, const std::vector<double>& a) {
  Tensor sum = full_like(x, a.back());
  for (size_t i = a.size() - 1; i-- > 0;) sum = add(multiply(sum, x), a[i]);
  return sum;
}

}  // namespace

Tensor abs(const Tensor& x) { return absolute(x); }
Tensor fabs(const Tensor& x) { return absolute(to_float("fabs", x)); }
Tensor true_divide(const Tensor& x, const Tensor& y) { return divide(x, y); }
Tensor bitwise_invert(const Tensor& x) { return bitwise_not(x); }
Tensor bitwise_left_shift(const Tensor& x, const Tensor& y) { return left_shift(x, y); }
Tensor bitwise_right_shift(const Tensor& x, const Tensor& y) { return right_shift(x, y); }
Tensor copy(const Tensor& x) {
  require_defined("copy", x);
  return x;  // values are immutable
}

Tensor cbrt(const Tensor& x) {
  const Tensor f = to_float("cbrt", x);
  return multiply(sign(f), power(absolute(f), 1.0 / 3));
}

Tensor exp2(const Tensor& x) {
  const Tensor f = to_float("exp2", x);
  return power(scalar(2, f.dtype()), f);
}

Tensor deg2rad(const Tensor& x) { return multiply(to_float("deg2rad", x), std::numbers::pi / 180); }
Tensor rad2deg(const Tensor& x) { return multiply(to_float("rad2deg", x), 180 / std::numbers::pi); }

Tensor sinc(const Tensor& x) {
  const Tensor t = multiply(to_float("sinc", x), std::numbers::pi);
  // Near 0, sin(t) / t is 1 - t^2 / 6. The unused branch must not divide by 0, or the gradient is
  // NaN.
  const Tensor zero = equal(t, 0);
  const Tensor safe = where(zero, 1, t);
  return where(zero, subtract(1, divide(square(t), 6)), divide(sin(safe), safe));
}

Tensor i0(const Tensor& x) {
  constexpr double kNear = 3.75;
  const Tensor size = absolute(to_float("i0", x));
  const Tensor near = square(divide(minimum(size, kNear), kNear));
  const Tensor series =
      polynomial(near, {1, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813});
  const Tensor large = maximum(size, kNear);
  const Tensor far =
      polynomial(divide(kNear, large), {0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281,
                                        -0.02057706, 0.02635537, -0.01647633, 0.00392377});
  return where(less(size, kNear), series, multiply(multiply(exp(large), rsqrt(large)), far));
}

Tensor hypot(const Tensor& x, const Tensor& y) {
  const auto [a, b] = float_operands("hypot", x, y);
  const Tensor p = absolute(a);
  const Tensor q = absolute(b);
  const Tensor large = maximum(p, q);
  const Tensor usual = logical_and(greater(large, 0), isfinite(large));
  const Tensor ratio = divide(minimum(p, q), where(usual, large, 1));
  const Tensor root = multiply(large, sqrt(add(square(where(usual, ratio, 0)), 1)));
  return where(logical_or(isinf(p), isinf(q)), kInfinity, root);
}

Tensor logaddexp2(const Tensor& x, const Tensor& y) {
  const auto [a, b] = float_operands("logaddexp2", x, y);
  return divide(logaddexp(multiply(a, std::numbers::ln2), multiply(b, std::numbers::ln2)),
                std::numbers::ln2);
}

Tensor ldexp(const Tensor& x, const Tensor& exponent) {
  const Tensor f = to_float("ldexp", x);
  return multiply(f, power(scalar(2, f.dtype()), to_dtype(exponent, f.dtype())));
}

Tensor fmax(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote("fmax", x, y);
  if (!is_floating(a.dtype())) return maximum(a, b);
  return where(isnan(a), b, where(isnan(b), a, maximum(a, b)));
}

Tensor fmin(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote("fmin", x, y);
  if (!is_floating(a.dtype())) return minimum(a, b);
  return where(isnan(a), b, where(isnan(b), a, minimum(a, b)));
}

Tensor fmod(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote("fmod", x, y);
  const Tensor rest = mod(absolute(a), absolute(b));
  return where(less(a, 0), negative(rest), rest);
}

Tensor heaviside(const Tensor& x, const Tensor& at_zero) {
  const auto [a, b] = float_operands("heaviside", x, at_zero);
  const Tensor step = cast(greater(a, 0), a.dtype());
  return where(isnan(a), kNaN, where(equal(a, 0), b, step));
}

Tensor isneginf(const Tensor& x) { return equal(to_float("isneginf", x), -kInfinity); }
Tensor isposinf(const Tensor& x) { return equal(to_float("isposinf", x), kInfinity); }

namespace {

/// The signed integer of the same size.
DType bits_dtype(DType dtype) {
  switch (dtype_size(dtype)) {
    case 2:
      return DType::int16;
    case 4:
      return DType::int32;
    default:
      return DType::int64;
  }
}

}  // namespace

Tensor signbit(const Tensor& x) {
  const Tensor strong = to_dtype(x, x.dtype());
  if (!is_floating(x.dtype())) return less(strong, 0);
  return less(bitcast(strong, bits_dtype(x.dtype())), 0);
}

Tensor isclose(const Tensor& x, const Tensor& y, const IscloseOptions& options) {
  const auto [a, b] = float_operands("isclose", x, y);
  const Tensor bound = add(multiply(absolute(b), options.rtol), options.atol);
  const Tensor finite = logical_and(isfinite(a), isfinite(b));
  const Tensor close = logical_and(finite, less_equal(absolute(subtract(a, b)), bound));
  Tensor result = logical_or(close, equal(a, b));
  if (options.equal_nan) result = logical_or(result, logical_and(isnan(a), isnan(b)));
  return result;
}

Tensor allclose(const Tensor& x, const Tensor& y, const IscloseOptions& options) {
  return all(isclose(x, y, options));
}

namespace {

/// The range of a dtype.
struct Limits {
  double low;
  double high;
};
Limits limits_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return {0, 1};
    case DType::float16:
      return {-65504, 65504};
    case DType::bfloat16:
      return {-0x1.FEp127, 0x1.FEp127};
    default:
      break;
  }
  return dispatch(dtype, [&]<class T>() -> Limits {
    return {static_cast<double>(std::numeric_limits<T>::lowest()),
            static_cast<double>(std::numeric_limits<T>::max())};
  });
}

}  // namespace

Tensor nan_to_num(const Tensor& x, const NanToNumOptions& o) {
  require_defined("nan_to_num", x);
  if (!is_floating(x.dtype())) return to_dtype(x, x.dtype());
  const Limits limits = limits_of(x.dtype());
  const Tensor low = where(isneginf(x), o.neginf.value_or(limits.low), x);
  const Tensor high = where(isposinf(x), o.posinf.value_or(limits.high), low);
  return where(isnan(x), o.nan, high);
}

Tensor nextafter(const Tensor& x, const Tensor& y) {
  const auto [a, b] = float_operands("nextafter", x, y);
  const DType integer = bits_dtype(a.dtype());
  const Tensor bits = bitcast(a, integer);
  // For either sign, adding 1 to the bits moves away from zero.
  const Tensor outward = equal(greater(b, a), greater(a, 0));
  const Tensor moved =
      bitcast(add(bits, where(outward, scalar(1, integer), scalar(-1, integer))), a.dtype());
  const Tensor smallest = bitcast(scalar(1, integer), a.dtype());
  const Tensor from_zero = where(greater(b, 0), smallest, negative(smallest));
  const Tensor result = where(equal(a, 0), from_zero, moved);
  return where(logical_or(isnan(a), isnan(b)), kNaN, where(equal(a, b), b, result));
}

Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices,
              const Tensor& otherwise) {
  if (conditions.empty() || conditions.size() != choices.size()) {
    throw ValueError(
        "ops::select: expected as many choices as conditions, at least one. Received: {} "
        "conditions and {} choices.",
        conditions.size(), choices.size());
  }
  Tensor result = otherwise;
  for (size_t i = conditions.size(); i-- > 0;) result = where(conditions[i], choices[i], result);
  return result;
}

Tensor saturate_cast(const Tensor& x, DTypeArg target) {
  require_defined("saturate_cast", x);
  const DType dtype = target;
  const Limits from = limits_of(x.dtype());
  const Limits to = limits_of(dtype);
  Tensor result = cast(x, dtype);
  // Compares before and selects after the conversion: float32 cannot represent 2^31 - 1.
  if (from.low < to.low) {
    result = where(less_equal(x, scalar(to.low, x.dtype())), scalar(to.low, dtype), result);
  }
  if (from.high > to.high) {
    const Tensor highest = dtype == DType::int64 ? Tensor(std::numeric_limits<int64_t>::max())
                                                 : scalar(to.high, dtype);
    result = where(greater_equal(x, scalar(to.high, x.dtype())), cast(highest, dtype), result);
  }
  return result;
}

Complex view_as_complex(const Tensor& x) {
  require_defined("view_as_complex", x);
  if (x.rank() == 0 || x.dim(-1) != 2) {
    throw ValueError(
        "ops::view_as_complex: the last dimension of `x` must be 2. Received: x.shape={}",
        x.shape());
  }
  const Tensors parts = unstack(x, -1);
  return {parts[0], parts[1]};
}
Tensor view_as_real(const Complex& x) { return stack({x.real, x.imag}, -1); }

Complex polar(const Tensor& absolute, const Tensor& angle) {
  return {multiply(absolute, cos(angle)), multiply(absolute, sin(angle))};
}
Tensor angle(const Complex& x) { return arctan2(x.imag, x.real); }
Tensor angle(const Tensor& x) {
  const Tensor f = to_float("angle", x);
  return arctan2(zeros_like(f), f);
}
Tensor imag(const Tensor& x) { return zeros_like(x); }
Tensor isreal(const Complex& x) { return equal(x.imag, 0); }
Tensor isreal(const Tensor& x) { return ones(x.shape(), DType::boolean); }
Complex conjugate(const Complex& x) { return {x.real, negative(x.imag)}; }
Complex conj(const Complex& x) { return conjugate(x); }

}  // namespace antler::ops
