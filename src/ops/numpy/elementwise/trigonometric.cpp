#include <cmath>

#include "antler/ir/emit.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/float_unary.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

/// The derivative of each op, as a function of operand and result.
template <Tensor (*derivative)(const Tensor& x, const Tensor& out)>
Tensors chain(const VjpArgs& v) {
  return {multiply(v.grads[0], derivative(v.inputs[0], v.outputs[0]))};
}

Tensor d_sin(const Tensor& x, const Tensor&) { return cos(x); }
Tensor d_cos(const Tensor& x, const Tensor&) { return negative(sin(x)); }
Tensor d_tan(const Tensor&, const Tensor& out) { return add(square(out), 1); }
Tensor d_asin(const Tensor& x, const Tensor&) { return rsqrt(subtract(1, square(x))); }
Tensor d_acos(const Tensor& x, const Tensor&) { return negative(rsqrt(subtract(1, square(x)))); }
Tensor d_atan(const Tensor& x, const Tensor&) { return reciprocal(add(square(x), 1)); }
Tensor d_sinh(const Tensor& x, const Tensor&) { return cosh(x); }
Tensor d_cosh(const Tensor& x, const Tensor&) { return sinh(x); }
Tensor d_tanh(const Tensor&, const Tensor& out) { return subtract(1, square(out)); }
Tensor d_asinh(const Tensor& x, const Tensor&) { return rsqrt(add(square(x), 1)); }
// (x - 1)(x + 1) is more accurate than x^2 - 1 near 1.
Tensor d_acosh(const Tensor& x, const Tensor&) {
  return rsqrt(multiply(subtract(x, 1), add(x, 1)));
}
Tensor d_atanh(const Tensor& x, const Tensor&) { return reciprocal(subtract(1, square(x))); }

constexpr OpDef kSin =
    unary_op<"sin", kFloats>(/*work=*/12, [](auto x) { return std::sin(x); }, chain<d_sin>);
constexpr OpDef kCos =
    unary_op<"cos", kFloats>(/*work=*/12, [](auto x) { return std::cos(x); }, chain<d_cos>);
constexpr OpDef kTan =
    unary_op<"tan", kFloats>(/*work=*/20, [](auto x) { return std::tan(x); }, chain<d_tan>);
constexpr OpDef kAsin =
    unary_op<"asin", kFloats>(/*work=*/20, [](auto x) { return std::asin(x); }, chain<d_asin>);
constexpr OpDef kAcos =
    unary_op<"acos", kFloats>(/*work=*/20, [](auto x) { return std::acos(x); }, chain<d_acos>);
constexpr OpDef kAtan =
    unary_op<"atan", kFloats>(/*work=*/20, [](auto x) { return std::atan(x); }, chain<d_atan>);
constexpr OpDef kSinh =
    unary_op<"sinh", kFloats>(/*work=*/20, [](auto x) { return std::sinh(x); }, chain<d_sinh>);
constexpr OpDef kCosh =
    unary_op<"cosh", kFloats>(/*work=*/20, [](auto x) { return std::cosh(x); }, chain<d_cosh>);
constexpr OpDef kTanh =
    unary_op<"tanh", kFloats>(/*work=*/10, [](auto x) { return std::tanh(x); }, chain<d_tanh>);
constexpr OpDef kAsinh =
    unary_op<"asinh", kFloats>(/*work=*/30, [](auto x) { return std::asinh(x); }, chain<d_asinh>);
constexpr OpDef kAcosh =
    unary_op<"acosh", kFloats>(/*work=*/30, [](auto x) { return std::acosh(x); }, chain<d_acosh>);
constexpr OpDef kAtanh =
    unary_op<"atanh", kFloats>(/*work=*/30, [](auto x) { return std::atanh(x); }, chain<d_atanh>);

constexpr OpDef kAtan2 = binary_op<"atan2", kFloats>(
    /*work=*/30, [](auto y, auto x) { return std::atan2(y, x); },
    [](const VjpArgs& v) -> Tensors {
      const Tensor& y = v.inputs[0];
      const Tensor& x = v.inputs[1];
      const Tensor scaled = divide(v.grads[0], add(square(x), square(y)));
      return {multiply(scaled, x), negative(multiply(scaled, y))};
    });

}  // namespace

OpSpan trigonometric_ops() {
  static constexpr const OpDef* kOps[] = {&kSin,  &kCos,  &kTan,   &kAsin,  &kAcos,  &kAtan, &kSinh,
                                          &kCosh, &kTanh, &kAsinh, &kAcosh, &kAtanh, &kAtan2};
  return kOps;
}

Tensor sin(const Tensor& x) { return float_unary(kSin, x); }
Tensor cos(const Tensor& x) { return float_unary(kCos, x); }
Tensor tan(const Tensor& x) { return float_unary(kTan, x); }
Tensor arcsin(const Tensor& x) { return float_unary(kAsin, x); }
Tensor arccos(const Tensor& x) { return float_unary(kAcos, x); }
Tensor arctan(const Tensor& x) { return float_unary(kAtan, x); }
Tensor sinh(const Tensor& x) { return float_unary(kSinh, x); }
Tensor cosh(const Tensor& x) { return float_unary(kCosh, x); }
Tensor tanh(const Tensor& x) { return float_unary(kTanh, x); }
Tensor arcsinh(const Tensor& x) { return float_unary(kAsinh, x); }
Tensor arccosh(const Tensor& x) { return float_unary(kAcosh, x); }
Tensor arctanh(const Tensor& x) { return float_unary(kAtanh, x); }

Tensor arctan2(const Tensor& y, const Tensor& x) {
  require_defined("arctan2", y);
  require_defined("arctan2", x);
  const DType dtype = result_dtype({y, x});
  const auto [a, b] = promote_to("arctan2", y, x, is_floating(dtype) ? dtype : default_float());
  return ir::emit_one(kAtan2, {a, b});
}

}  // namespace antler::ops
