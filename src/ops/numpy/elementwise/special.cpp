#include <math.h>  // NOLINT(modernize-deprecated-headers): lgamma_r is not in <cmath>

#include <cmath>
#include <limits>
#include <numbers>

#include "antler/ir/emit.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/float_unary.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

using std::numbers::pi;

constexpr OpDef kErf = unary_op<"erf", kFloats>(
    /*work=*/12, [](auto x) { return std::erf(x); },
    [](const VjpArgs& v) -> Tensors {
      const Tensor bell = exp(negative(square(v.inputs[0])));
      return {multiply(v.grads[0], multiply(2 * std::numbers::inv_sqrtpi, bell))};
    });

constexpr OpDef kErfc = unary_op<"erfc", kFloats>(
    /*work=*/40, [](auto x) { return std::erfc(x); },
    [](const VjpArgs& v) -> Tensors {
      const Tensor bell = exp(negative(square(v.inputs[0])));
      return {multiply(v.grads[0], multiply(-2 * std::numbers::inv_sqrtpi, bell))};
    });

/// Winitzki's approximation, refined by Halley's method. Near 1 it uses erfc, which is accurate
/// there.
double inverse_erf(double x) {
  if (!(std::fabs(x) < 1)) {
    return std::fabs(x) == 1 ? x * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
  }
  constexpr double kA = 0.147;
  const double log_term = std::log1p(-x * x);
  const double half = 2 / (pi * kA) + log_term / 2;
  double y = std::sqrt(std::sqrt(half * half - log_term / kA) - half);
  const double target = std::fabs(x);
  for (int i = 0; i < 2; ++i) {
    const double error = target < 0.5 ? std::erf(y) - target : (1 - target) - std::erfc(y);
    const double step = error / (2 * std::numbers::inv_sqrtpi * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

constexpr OpDef kErfInv = unary_op<"erf_inv", kFloats>(
    /*work=*/30, [](auto x) { return static_cast<decltype(x)>(inverse_erf(x)); },
    [](const VjpArgs& v) -> Tensors {
      const Tensor inverse_gaussian = exp(square(v.outputs[0]));
      return {multiply(v.grads[0], multiply(0.5 / std::numbers::inv_sqrtpi, inverse_gaussian))};
    });

constexpr OpDef kLgamma = unary_op<"lgamma", kFloats>(
    /*work=*/40,
    [](auto x) {
      int sign = 0;  // std::lgamma would write a global, which is a data race
      return static_cast<decltype(x)>(::lgamma_r(static_cast<double>(x), &sign));
    },
    [](const VjpArgs& v) -> Tensors { return {multiply(v.grads[0], digamma(v.inputs[0]))}; });

/// From here on, the asymptotic series has double precision. The recurrence leads there from
/// smaller x.
constexpr int kSeriesFrom = 10;

/// Abramowitz and Stegun 6.3.5 (recurrence), 6.3.7 (reflection), 6.3.18 (series). NaN at the poles.
double digamma_of(double x) {
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    return digamma_of(1 - x) - pi / std::tan(pi * x);
  }
  double result = 0;
  for (; x < kSeriesFrom; ++x) result -= 1 / x;
  const double z = 1 / (x * x);
  const double series =
      z *
      (1.0 / 12 -
       z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * 691.0 / 32760)))));
  return result + std::log(x) - 0.5 / x - series;
}

/// Derivative of digamma in ops, so that it can be differentiated again: Abramowitz and
/// Stegun 6.4.6, 6.4.7, 6.4.12.
Tensor trigamma(const Tensor& x) {
  const Tensor reflect = less(x, 0.5);
  const Tensor positive = where(reflect, subtract(1, x), x);
  Tensor result = reciprocal(square(positive));
  for (int k = 1; k < kSeriesFrom; ++k) result = add(result, reciprocal(square(add(positive, k))));
  const Tensor far = reciprocal(add(positive, kSeriesFrom));
  const Tensor z = square(far);
  // 1/x + 1/(2 x^2) + sum of B_2k / x^(2k+1)
  Tensor series = scalar(7.0 / 6, x.dtype());
  for (const double bernoulli :
       {-691.0 / 2730, 5.0 / 66, -1.0 / 30, 1.0 / 42, -1.0 / 30, 1.0 / 6}) {
    series = add(multiply(series, z), bernoulli);
  }
  result = add(result, add(far, multiply(z, add(0.5, multiply(far, series)))));
  // The unused branch must not divide by a sine of 0, or the gradient is NaN.
  const Tensor sine = sin(multiply(pi, where(reflect, x, 0.5)));
  return where(reflect, subtract(divide(pi * pi, square(sine)), result), result);
}

constexpr OpDef kDigamma = unary_op<"digamma", kFloats>(
    /*work=*/40, [](auto x) { return static_cast<decltype(x)>(digamma_of(x)); },
    [](const VjpArgs& v) -> Tensors { return {multiply(v.grads[0], trigamma(v.inputs[0]))}; });

}  // namespace

OpSpan special_ops() {
  static constexpr const OpDef* kOps[] = {&kErf, &kErfc, &kErfInv, &kLgamma, &kDigamma};
  return kOps;
}

Tensor erf(const Tensor& x) { return float_unary(kErf, x); }
Tensor erfc(const Tensor& x) { return float_unary(kErfc, x); }
Tensor erfinv(const Tensor& x) { return float_unary(kErfInv, x); }
Tensor lgamma(const Tensor& x) { return float_unary(kLgamma, x); }
Tensor digamma(const Tensor& x) { return float_unary(kDigamma, x); }

}  // namespace antler::ops
