#include "runtime/cpu/jit/scalar_functions.h"

#include <math.h>  // NOLINT(modernize-deprecated-headers): lgamma_r is not in <cmath>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace antler::runtime::jit {
namespace {

using std::numbers::pi;

/// Winitzki's approximation, refined by Newton steps on erf or, near 1, on erfc, which is accurate
/// there.
double inverse_erf(double x) {
  const double target = std::fabs(x);
  if (!(target < 1)) {
    return target == 1 ? x * std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
  }
  constexpr double kA = 0.147;
  const double log_term = std::log1p(-x * x);
  const double half = 2 / (pi * kA) + log_term / 2;
  double y = std::sqrt(std::sqrt(half * half - log_term / kA) - half);
  for (int i = 0; i < 4; ++i) {
    const double error = target < 0.5 ? std::erf(y) - target : (1 - target) - std::erfc(y);
    y -= error / (2 * std::numbers::inv_sqrtpi * std::exp(-y * y));
  }
  return std::copysign(y, x);
}

/// Not std::lgamma, which writes the sign to a global variable.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

float log_gamma_float(float x) { return static_cast<float>(log_gamma(static_cast<double>(x))); }

/// Abramowitz and Stegun 6.3.5 (recurrence), 6.3.7 (reflection), 6.3.18 (series from 10 on). NaN at
/// the poles.
double digamma(double x) {
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    return digamma(1 - x) - pi / std::tan(pi * x);
  }
  double result = 0;
  for (; x < 10; ++x) result -= 1 / x;
  const double z = 1 / (x * x);
  double series = 691.0 / 32760;
  for (const double term : {1.0 / 132, 1.0 / 240, 1.0 / 252, 1.0 / 120, 1.0 / 12}) {
    series = term - z * series;
  }
  return result + std::log(x) - 0.5 / x - z * series;
}

float digamma_float(float x) { return static_cast<float>(digamma(static_cast<double>(x))); }

uint64_t power(uint64_t x, uint64_t n) {
  uint64_t result = 1;
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) result *= x;
    x *= x;
  }
  return result;
}

/// A negative exponent truncates 1 / x^-n to an integer.
int64_t signed_power(int64_t x, int64_t n) {
  if (n >= 0)
    return static_cast<int64_t>(power(static_cast<uint64_t>(x), static_cast<uint64_t>(n)));
  if (x == 1) return 1;
  if (x == -1) return n % 2 == 0 ? 1 : -1;
  return 0;
}

template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

std::span<const ScalarFunction> scalar_functions() {
  static const ScalarFunction functions[] = {
      {"antler_erf_inv", address_of(inverse_erf)},     {"antler_lgamma", address_of(log_gamma)},
      {"antler_lgammaf", address_of(log_gamma_float)}, {"antler_digamma", address_of(digamma)},
      {"antler_digammaf", address_of(digamma_float)},  {"antler_pow_i64", address_of(signed_power)},
      {"antler_pow_u64", address_of(power)},
  };
  return functions;
}

}  // namespace antler::runtime::jit
