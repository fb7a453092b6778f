#include <cmath>
#include <limits>

#include "antler/ir/emit.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

/// Integer quotients are truncated. Cases that are undefined in C++ are defined as in XLA: x / 0
/// has all bits set, and min / -1 wraps around to min.
template <class T>
T quotient(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return x / y;
  } else {
    if (y == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return wrapping(x, x, [](auto a, auto) { return -a; });
    }
    return static_cast<T>(x / y);
  }
}

/// Has the sign of the dividend. x % 0 is x for integers and NaN for floats.
template <class T>
T remainder_of(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(x, y);
  } else {
    if (y == 0) return x;
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return 0;
    }
    return static_cast<T>(x % y);
  }
}

constexpr OpDef kDiv =
    binary_op<"div", kNumbers>(/*work=*/4, [](auto x, auto y) { return quotient(x, y); },
                               [](const VjpArgs& v) -> Tensors {
                                 const Tensor dx = divide(v.grads[0], v.inputs[1]);
                                 return {dx, negative(multiply(dx, v.outputs[0]))};
                               });

constexpr OpDef kRem =
    binary_op<"rem", kNumbers>(/*work=*/8, [](auto x, auto y) { return remainder_of(x, y); },
                               [](const VjpArgs& v) -> Tensors {
                                 const Tensor whole = trunc(divide(v.inputs[0], v.inputs[1]));
                                 return {v.grads[0], negative(multiply(v.grads[0], whole))};
                               });

/// Promotes the operands of a division that returns integers for integers; booleans become int32.
Operands promote_numbers(const char* op, const Tensor& x, const Tensor& y) {
  require_defined(op, x);
  require_defined(op, y);
  const DType dtype = result_dtype({x, y});
  return promote_to(op, x, y, dtype == DType::boolean ? DType::int32 : dtype);
}

}  // namespace

OpSpan division_ops() {
  static constexpr const OpDef* kOps[] = {&kDiv, &kRem};
  return kOps;
}

Tensor divide(const Tensor& x, const Tensor& y) {
  require_defined("divide", x);
  require_defined("divide", y);
  const DType dtype = result_dtype({x, y});
  const auto [a, b] = promote_to("divide", x, y, is_floating(dtype) ? dtype : default_float());
  return ir::emit_one(kDiv, {a, b});
}

Tensor divide_no_nan(const Tensor& x, const Tensor& y) {
  require_defined("divide_no_nan", x);
  require_defined("divide_no_nan", y);
  const DType dtype = result_dtype({x, y});
  const auto [a, b] =
      promote_to("divide_no_nan", x, y, is_floating(dtype) ? dtype : default_float());
  // The divisor is replaced too, so that the gradient stays finite.
  const Tensor is_zero = equal(b, 0);
  return where(is_zero, 0, ir::emit_one(kDiv, {a, where(is_zero, 1, b)}));
}

Tensor reciprocal(const Tensor& x) { return divide(1, x); }

Tensor mod(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote_numbers("mod", x, y);
  Tensor rem = ir::emit_one(kRem, {a, b});
  if (is_unsigned_integer(a.dtype())) return rem;
  const Tensor other_sign = not_equal(less(rem, 0), less(b, 0));
  return where(logical_and(other_sign, not_equal(rem, 0)), add(rem, b), rem);
}

Tensor floor_divide(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote_numbers("floor_divide", x, y);
  if (is_floating(a.dtype())) {
    // a - mod is a multiple of b up to rounding; floor(a / b) would be off by one where a / b
    // rounds up. Division by zero gives infinity.
    const Tensor multiple = where(equal(b, 0), a, subtract(a, mod(a, b)));
    return round(ir::emit_one(kDiv, {multiple, b}));
  }
  Tensor whole = ir::emit_one(kDiv, {a, b});
  if (is_unsigned_integer(a.dtype())) return whole;
  const Tensor rem = ir::emit_one(kRem, {a, b});
  const Tensor other_sign = not_equal(less(a, 0), less(b, 0));
  return where(logical_and(other_sign, not_equal(rem, 0)), subtract(whole, 1), whole);
}

}  // namespace antler::ops
