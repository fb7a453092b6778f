#include <cmath>
#include <numbers>

#include "antler/ir/emit.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/float_unary.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

constexpr OpDef kExp = unary_op<"exp", kFloats>(
    /*work=*/8, [](auto x) { return std::exp(x); },
    [](const VjpArgs& v) -> Tensors { return {multiply(v.grads[0], v.outputs[0])}; });

constexpr OpDef kExpm1 = unary_op<"expm1", kFloats>(
    /*work=*/10, [](auto x) { return std::expm1(x); },
    [](const VjpArgs& v) -> Tensors { return {multiply(v.grads[0], add(v.outputs[0], 1))}; });

constexpr OpDef kLog = unary_op<"log", kFloats>(
    /*work=*/10, [](auto x) { return std::log(x); },
    [](const VjpArgs& v) -> Tensors { return {divide(v.grads[0], v.inputs[0])}; });

constexpr OpDef kLog1p = unary_op<"log1p", kFloats>(
    /*work=*/12, [](auto x) { return std::log1p(x); },
    [](const VjpArgs& v) -> Tensors { return {divide(v.grads[0], add(v.inputs[0], 1))}; });

constexpr OpDef kSqrt = unary_op<"sqrt", kFloats>(
    /*work=*/4, [](auto x) { return std::sqrt(x); },
    [](const VjpArgs& v) -> Tensors { return {multiply(v.grads[0], divide(0.5, v.outputs[0]))}; });

constexpr OpDef kRsqrt = unary_op<"rsqrt", kFloats>(
    /*work=*/4, [](auto x) { return decltype(x)(1) / std::sqrt(x); },
    [](const VjpArgs& v) -> Tensors {
      return {multiply(v.grads[0], multiply(-0.5, divide(v.outputs[0], v.inputs[0])))};
    });

/// The exponent is never positive, so exp() cannot overflow.
template <class T>
T logistic(T x) {
  const T e = std::exp(-std::fabs(x));
  return (x >= T(0) ? T(1) : e) / (T(1) + e);
}

constexpr OpDef kSigmoid =
    unary_op<"sigmoid", kFloats>(/*work=*/10, [](auto x) { return logistic(x); },
                                 [](const VjpArgs& v) -> Tensors {
                                   const Tensor& s = v.outputs[0];
                                   return {multiply(v.grads[0], multiply(s, subtract(1, s)))};
                                 });

/// Integer powers by repeated squaring, which wraps around. A negative exponent gives 1 / x^-y,
/// truncated.
template <class T>
T power_of(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(x, y);
  } else {
    if constexpr (std::is_signed_v<T>) {
      if (y < 0) return x == 1 ? 1 : x == -1 ? static_cast<T>(y % 2 == 0 ? 1 : -1) : 0;
    }
    uint64_t result = 1;
    auto base = static_cast<uint64_t>(static_cast<int64_t>(x));
    for (auto n = static_cast<uint64_t>(static_cast<int64_t>(y)); n != 0; n >>= 1) {
      if ((n & 1) != 0) result *= base;
      base *= base;
    }
    return static_cast<T>(result);
  }
}

/// d/dx is y x^(y-1), and 0 for y = 0 even if x^-1 is infinite. d/dy is x^y log x for positive x,
/// else 0. This is the limit at x = 0; for negative x the power is real only at isolated points.
constexpr OpDef kPow = binary_op<"pow", kNumbers>(
    /*work=*/30, [](auto x, auto y) { return power_of(x, y); },
    [](const VjpArgs& v) -> Tensors {
      const Tensor& x = v.inputs[0];
      const Tensor& y = v.inputs[1];
      if (!is_floating(x.dtype())) return {{}, {}};
      const Tensor exponent_is_zero = equal(y, 0);
      const Tensor less_one = where(exponent_is_zero, 1, subtract(y, 1));
      const Tensor dx = where(exponent_is_zero, 0, multiply(y, power(x, less_one)));
      const Tensor is_positive = greater(x, 0);
      const Tensor log_x = log(where(is_positive, x, 1));
      return {multiply(v.grads[0], dx),
              multiply(v.grads[0], where(is_positive, multiply(v.outputs[0], log_x), 0))};
    });

}  // namespace

OpSpan exponential_ops() {
  static constexpr const OpDef* kOps[] = {&kExp,  &kExpm1, &kLog,     &kLog1p,
                                          &kSqrt, &kRsqrt, &kSigmoid, &kPow};
  return kOps;
}

Tensor exp(const Tensor& x) { return float_unary(kExp, x); }
Tensor expm1(const Tensor& x) { return float_unary(kExpm1, x); }
Tensor log(const Tensor& x) { return float_unary(kLog, x); }
Tensor log1p(const Tensor& x) { return float_unary(kLog1p, x); }
Tensor log2(const Tensor& x) { return divide(log(x), std::numbers::ln2); }
Tensor log10(const Tensor& x) { return divide(log(x), std::numbers::ln10); }
Tensor sqrt(const Tensor& x) { return float_unary(kSqrt, x); }
Tensor rsqrt(const Tensor& x) { return float_unary(kRsqrt, x); }
Tensor sigmoid(const Tensor& x) { return float_unary(kSigmoid, x); }

Tensor power(const Tensor& x, const Tensor& y) {
  require_defined("power", x);
  require_defined("power", y);
  DType dtype = result_dtype({x, y});
  if (dtype == DType::boolean) dtype = DType::int32;
  if (y.is_weak() && y.is_value() && dtype == x.dtype()) {
    if (y.item() == 1) return to_dtype(x, dtype);
    if (y.item() == 2) return square(x);
  }
  const auto [a, b] = promote_to("power", x, y, dtype);
  return ir::emit_one(kPow, {a, b});
}

Tensor logaddexp(const Tensor& x, const Tensor& y) {
  require_defined("logaddexp", x);
  require_defined("logaddexp", y);
  const DType dtype = result_dtype({x, y});
  const auto [a, b] = promote_to("logaddexp", x, y, is_floating(dtype) ? dtype : default_float());
  // The difference of equal infinities is NaN. It is replaced before use, so that the gradient is
  // finite.
  const Tensor difference = subtract(a, b);
  const Tensor no_difference = isnan(difference);
  const Tensor distance = absolute(where(no_difference, 0, difference));
  return where(no_difference, add(a, b), add(maximum(a, b), log1p(exp(negative(distance)))));
}

}  // namespace antler::ops
