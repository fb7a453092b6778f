#include "antler/ops/numpy/elementwise.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using Close = Tensor (*)(const Tensor&, const Tensor&, const ops::IscloseOptions&);

template <Close F>
void bind_close(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const Tensor& x, const Tensor& y, double rtol, double atol, bool equal_nan) {
        return F(x, y, {.rtol = rtol, .atol = atol, .equal_nan = equal_nan});
      },
      nb::arg("x"), nb::arg("y"), nb::arg("rtol") = 1e-5, nb::arg("atol") = 1e-8,
      nb::arg("equal_nan") = false);
}

}  // namespace

void bind_numpy_elementwise_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  // Arithmetic.
  m.def("add", &ops::add, "x"_a, "y"_a);
  m.def("subtract", &ops::subtract, "x"_a, "y"_a);
  m.def("multiply", &ops::multiply, "x"_a, "y"_a);
  m.def("divide", &ops::divide, "x"_a, "y"_a);
  m.def("true_divide", &ops::true_divide, "x"_a, "y"_a);
  m.def("divide_no_nan", &ops::divide_no_nan, "x"_a, "y"_a);
  m.def("floor_divide", &ops::floor_divide, "x"_a, "y"_a);
  m.def("mod", &ops::mod, "x"_a, "y"_a);
  m.def("fmod", &ops::fmod, "x"_a, "y"_a);
  m.def("power", &ops::power, "x"_a, "y"_a);
  m.def("hypot", &ops::hypot, "x"_a, "y"_a);
  m.def("squared_difference", &ops::squared_difference, "x"_a, "y"_a);
  m.def("negative", &ops::negative, "x"_a);
  m.def("absolute", &ops::absolute, "x"_a);
  m.def("abs", &ops::abs, "x"_a);
  m.def("fabs", &ops::fabs, "x"_a);
  m.def("sign", &ops::sign, "x"_a);
  m.def("square", &ops::square, "x"_a);
  m.def("reciprocal", &ops::reciprocal, "x"_a);
  m.def("gcd", &ops::gcd, "x"_a, "y"_a);
  m.def("lcm", &ops::lcm, "x"_a, "y"_a);

  // Minimum and maximum.
  m.def("maximum", &ops::maximum, "x"_a, "y"_a);
  m.def("minimum", &ops::minimum, "x"_a, "y"_a);
  m.def("fmax", &ops::fmax, "x"_a, "y"_a);
  m.def("fmin", &ops::fmin, "x"_a, "y"_a);
  m.def("clip", &ops::clip, "x"_a, "low"_a, "high"_a);
  m.def(
      "nan_to_num",
      [](const Tensor& x, double nan, std::optional<double> posinf, std::optional<double> neginf) {
        return ops::nan_to_num(x, {.nan = nan, .posinf = posinf, .neginf = neginf});
      },
      "x"_a, "nan"_a = 0.0, "posinf"_a = nb::none(), "neginf"_a = nb::none());

  // Exponentials, logarithms, roots.
  m.def("exp", &ops::exp, "x"_a);
  m.def("exp2", &ops::exp2, "x"_a);
  m.def("expm1", &ops::expm1, "x"_a);
  m.def("log", &ops::log, "x"_a);
  m.def("log1p", &ops::log1p, "x"_a);
  m.def("log2", &ops::log2, "x"_a);
  m.def("log10", &ops::log10, "x"_a);
  m.def("logaddexp", &ops::logaddexp, "x"_a, "y"_a);
  m.def("logaddexp2", &ops::logaddexp2, "x"_a, "y"_a);
  m.def("sqrt", &ops::sqrt, "x"_a);
  m.def("rsqrt", &ops::rsqrt, "x"_a);
  m.def("cbrt", &ops::cbrt, "x"_a);
  m.def("ldexp", &ops::ldexp, "x"_a, "exponent"_a);

  // Trigonometry.
  m.def("sin", &ops::sin, "x"_a);
  m.def("cos", &ops::cos, "x"_a);
  m.def("tan", &ops::tan, "x"_a);
  m.def("arcsin", &ops::arcsin, "x"_a);
  m.def("arccos", &ops::arccos, "x"_a);
  m.def("arctan", &ops::arctan, "x"_a);
  m.def("arctan2", &ops::arctan2, "y"_a, "x"_a);
  m.def("sinh", &ops::sinh, "x"_a);
  m.def("cosh", &ops::cosh, "x"_a);
  m.def("tanh", &ops::tanh, "x"_a);
  m.def("arcsinh", &ops::arcsinh, "x"_a);
  m.def("arccosh", &ops::arccosh, "x"_a);
  m.def("arctanh", &ops::arctanh, "x"_a);
  m.def("deg2rad", &ops::deg2rad, "x"_a);
  m.def("rad2deg", &ops::rad2deg, "x"_a);
  m.def("sinc", &ops::sinc, "x"_a);

  // Special functions.
  m.def("erf", &ops::erf, "x"_a);
  m.def("erfc", &ops::erfc, "x"_a);
  m.def("erfinv", &ops::erfinv, "x"_a);
  m.def("lgamma", &ops::lgamma, "x"_a);
  m.def("digamma", &ops::digamma, "x"_a);
  m.def("i0", &ops::i0, "x"_a);

  // Rounding and classification.
  m.def("floor", &ops::floor, "x"_a);
  m.def("ceil", &ops::ceil, "x"_a);
  m.def("round", nb::overload_cast<const Tensor&, int64_t>(&ops::round), "x"_a, "decimals"_a = 0);
  m.def("trunc", &ops::trunc, "x"_a);
  m.def("isfinite", &ops::isfinite, "x"_a);
  m.def("isinf", &ops::isinf, "x"_a);
  m.def("isnan", &ops::isnan, "x"_a);
  m.def("isneginf", &ops::isneginf, "x"_a);
  m.def("isposinf", &ops::isposinf, "x"_a);
  m.def("signbit", &ops::signbit, "x"_a);
  m.def("nextafter", &ops::nextafter, "x"_a, "y"_a);
  m.def("heaviside", &ops::heaviside, "x"_a, "at_zero"_a);

  // Comparison (boolean results).
  m.def("equal", &ops::equal, "x"_a, "y"_a);
  m.def("not_equal", &ops::not_equal, "x"_a, "y"_a);
  m.def("less", &ops::less, "x"_a, "y"_a);
  m.def("less_equal", &ops::less_equal, "x"_a, "y"_a);
  m.def("greater", &ops::greater, "x"_a, "y"_a);
  m.def("greater_equal", &ops::greater_equal, "x"_a, "y"_a);
  bind_close<&ops::isclose>(m, "isclose");
  bind_close<&ops::allclose>(m, "allclose");

  // Logic and bits.
  m.def("logical_and", &ops::logical_and, "x"_a, "y"_a);
  m.def("logical_or", &ops::logical_or, "x"_a, "y"_a);
  m.def("logical_xor", &ops::logical_xor, "x"_a, "y"_a);
  m.def("logical_not", &ops::logical_not, "x"_a);
  m.def("bitwise_and", &ops::bitwise_and, "x"_a, "y"_a);
  m.def("bitwise_or", &ops::bitwise_or, "x"_a, "y"_a);
  m.def("bitwise_xor", &ops::bitwise_xor, "x"_a, "y"_a);
  m.def("bitwise_not", &ops::bitwise_not, "x"_a);
  m.def("bitwise_invert", &ops::bitwise_invert, "x"_a);
  m.def("left_shift", &ops::left_shift, "x"_a, "y"_a);
  m.def("right_shift", &ops::right_shift, "x"_a, "y"_a);
  m.def("bitwise_left_shift", &ops::bitwise_left_shift, "x"_a, "y"_a);
  m.def("bitwise_right_shift", &ops::bitwise_right_shift, "x"_a, "y"_a);

  // Selection.
  m.def("where", &ops::where, "condition"_a, "x"_a, "y"_a);
  m.def("select", &ops::select, "conditions"_a, "choices"_a, "otherwise"_a = 0);
}

}  // namespace antler::python
