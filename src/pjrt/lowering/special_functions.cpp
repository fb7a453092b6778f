#include "pjrt/lowering/special_functions.h"

#include <limits>
#include <numbers>

namespace antler::pjrt {
namespace {

using std::numbers::inv_sqrtpi;
using std::numbers::pi;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

bool is_double(const Expr& x) { return x.value.type.element == "f64"; }

Expr with_sign_of(const Expr& size, const Expr& x) {
  return select(x.compare("LT", 0), -size, size);
}

/// W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of
/// Computation 23 (1969): erf(x) for |x| <= 15/32.
Expr cody_erf(const Expr& x) {
  const Expr s = x * x;
  return x *
         polynomial(s, {1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2,
                        3.77485237685302021e2, 3.20937758913846947e3}) /
         polynomial(s, {1, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
                        2.84423683343917062e3});
}

/// From the same paper: erfc(x) exp(x^2) for 15/32 <= x <= 4.
Expr cody_middle(const Expr& x) {
  return polynomial(x, {2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
                        6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2,
                        1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3}) /
         polynomial(x, {1, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
                        1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
                        3.43936767414372164e3, 1.23033935480374942e3});
}

/// From the same paper: erfc(x) exp(x^2) for x >= 4.
Expr cody_tail(const Expr& x) {
  const Expr s = 1 / (x * x);
  const Expr r =
      polynomial(s, {1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
                     1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4}) /
      polynomial(s, {1, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1,
                     6.05183413124413191e-2, 2.33520497626869185e-3});
  return (inv_sqrtpi - s * r) / x;
}

/// exp(-x^2), without the rounding error of the square: the leading bits of x have an exact square.
/// Uses expm1, because compilers would turn a product of exponentials into the exponential of a
/// sum.
Expr bell(const Expr& x) {
  const Expr head = floor(x * 16) * 0.0625;
  const Expr leading = exp(-(head * head));
  return leading + leading * expm1((head - x) * (head + x));
}

constexpr double kErfIsSmall = 0.46875;

/// erfc(x) for x >= 15/32.
Expr erfc_of_positive(const Expr& x) {
  const Expr bounded = min(x, 30);  // erfc(30) is 0, while infinity would give NaN
  const Expr scaled = select(bounded.compare("LT", 4), cody_middle(bounded), cody_tail(bounded));
  return bell(bounded) * scaled;
}

Expr erf_of_float(const Expr& x) {
  // Minimax approximations by Lawson's algorithm, the same as in the CPU's generated code:
  // erf x = x + x P(x^2) below 0.921875; above, erf t = 1 - exp(-t Q(t)), which is 1 beyond 4.
  const Expr small =
      x + x * polynomial(x * x, {8.370097202714533e-05, -0.0008142703445628285,
                                 0.005201032385230064, -0.026859398931264877, 0.11283695697784424,
                                 -0.37612634897232056, 0.12837916612625122});
  const Expr t = min(abs(x), 4.25);
  const Expr q = polynomial(t, {4.905324e-06, -4.5179633e-05, -5.163786e-05, 0.0029358407,
                                -0.022683367, 0.10527149, 0.6356207, 1.1285527});
  const Expr large = with_sign_of(1 - exp(-(t * q)), x);
  return select(t.compare("GT", 0.921875), large, small);
}

/// M. Giles, "Approximating the erfinv function", GPU Computing Gems 2 (2011).
Expr erf_inv_of_float(const Expr& x) {
  const Expr w = -log((1 - x) * (1 + x));
  const Expr central =
      polynomial(w - 2.5, {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
                           0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  const Expr tail = polynomial(
      sqrt(w) - 3, {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                    -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  return x * select(w.compare("LT", 5), central, tail);
}

/// Winitzki's approximation, refined by Halley's method. Near 1 it uses erfc, which is accurate
/// there.
Expr erf_inv_of_double(const Expr& x) {
  constexpr double kA = 0.147;
  const Expr target = abs(x);
  const Expr log_term = log1p(-(x * x));
  const Expr half = 2 / (pi * kA) + log_term * 0.5;
  Expr y = sqrt(sqrt(half * half - log_term / kA) - half);
  for (int i = 0; i < 2; ++i) {
    const Value is_small = y.compare("LT", kErfIsSmall);
    const Expr erf = cody_erf(y);
    const Expr erfc = erfc_of_positive(y);
    const Expr below = select(is_small, erf, 1 - erfc) - target;
    const Expr above = (1 - target) - select(is_small, 1 - erf, erfc);
    const Expr error = select(target.compare("LT", 0.5), below, above);
    const Expr step = error / (2 * inv_sqrtpi * exp(-(y * y)));
    y = y - step / (1 + y * step);
  }
  return sign(x) * y;
}

/// x (x + 1) ... (x + count - 1)
Expr rising_product(const Expr& x, int count) {
  Expr product = x;
  for (int k = 1; k < count; ++k) product = product * (x + k);
  return product;
}

/// log gamma for x >= 1/2: Abramowitz and Stegun 6.1.15 (recurrence) and 6.1.41 (series).
Expr lgamma_of_positive(const Expr& x) {
  const int start = is_double(x) ? 10 : 4;
  const Value is_large = x.compare("GE", start);
  const Expr z = select(is_large, x, x + start);
  const Expr inverse = 1 / z;
  const Expr s = inverse * inverse;
  const Expr series = is_double(x) ? polynomial(s, {1.0 / 156, -691.0 / 360360, 1.0 / 1188,
                                                    -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12})
                                   : polynomial(s, {-1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12});
  // (z - 1/2) log z - z + log(2 pi) / 2, without a difference of infinities.
  constexpr double kHalfLog2Pi = 0.91893853320467274178;
  const Expr stirling = (z - 0.5) * (log(z) - 1) + (series * inverse + (kHalfLog2Pi - 0.5));
  return select(is_large, stirling, stirling - log(rising_product(x, start)));
}

/// x minus the nearest integer.
Expr distance_from_integer(const Expr& x) { return x - x.unary("round_nearest_even"); }

/// digamma for x > 0: Abramowitz and Stegun 6.3.5 (recurrence) and 6.3.18 (series).
Expr digamma_of_positive(const Expr& x) {
  const int start = is_double(x) ? 10 : 4;
  const Value is_large = x.compare("GE", start);
  const Expr z = select(is_large, x, x + start);
  const Expr inverse = 1 / z;
  const Expr s = inverse * inverse;
  const Expr series =
      is_double(x)
          ? polynomial(s, {691.0 / 32760, -1.0 / 132, 1.0 / 240, -1.0 / 252, 1.0 / 120, -1.0 / 12})
          : polynomial(s, {1.0 / 240, -1.0 / 252, 1.0 / 120, -1.0 / 12});
  const Expr far = log(z) - 0.5 * inverse + s * series;
  Expr steps = 1 / x;
  for (int k = 1; k < start; ++k) steps = steps + 1 / (x + k);
  return select(is_large, far, far - steps);
}

}  // namespace

Expr polynomial(const Expr& x, std::initializer_list<double> coefficients) {
  auto coefficient = coefficients.begin();
  // A leading 1 needs no product.
  Expr sum = *coefficient == 1 ? x + coefficient[1] : x * *coefficient + coefficient[1];
  for (coefficient += 2; coefficient != coefficients.end(); ++coefficient)
    sum = sum * x + *coefficient;
  return sum;
}

Expr lower_erf(const Expr& x) {
  if (!is_double(x)) return erf_of_float(x);
  const Expr size = abs(x);
  const Expr large = with_sign_of(1 - erfc_of_positive(size), x);
  return select(size.compare("LT", kErfIsSmall), cody_erf(x), large);
}

Expr lower_erfc(const Expr& x) {
  const Expr size = abs(x);
  const Expr tail = erfc_of_positive(size);
  const Expr large = select(x.compare("LT", 0), 2 - tail, tail);
  return select(size.compare("LT", kErfIsSmall), 1 - cody_erf(x), large);
}

Expr lower_erf_inv(const Expr& x) {
  const Expr inside = is_double(x) ? erf_inv_of_double(x) : erf_inv_of_float(x);
  return select(abs(x).compare("EQ", 1), x * kInfinity, inside);
}

Expr lower_lgamma(const Expr& x) {
  const Value reflects = x.compare("LT", 0.5);
  const Expr positive = lgamma_of_positive(select(reflects, 1 - x, x));
  // Abramowitz and Stegun 6.1.17. The sine is 0 at the poles, where the result is infinite.
  const Expr sine = sin(pi * abs(distance_from_integer(x)));
  const Expr reflected = log(pi / sine) - positive;
  const Expr result = select(reflects, reflected, positive);
  return select(x.compare("EQ", -kInfinity), x.number(kInfinity), result);
}

Expr lower_digamma(const Expr& x) {
  const Value reflects = x.compare("LT", 0);
  const Expr positive = digamma_of_positive(select(reflects, 1 - x, x));
  // Abramowitz and Stegun 6.3.7.
  const Expr angle = pi * distance_from_integer(x);
  const Expr reflected = positive - pi * cos(angle) / sin(angle);
  const Expr result = select(reflects, reflected, positive);
  const Value is_integer = x.emit->compare("EQ", x.value, floor(x).value);
  const Value is_pole = x.emit->binary("and", is_integer, x.compare("LE", 0));
  return select(is_pole, x.number(kNotANumber), result);
}

}  // namespace antler::pjrt
