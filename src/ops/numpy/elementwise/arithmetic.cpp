#include <cmath>

#include "antler/ir/emit.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

/// For bool, the sum is "or" and the product is "and".
constexpr OpDef kAdd = binary_op<"add", kAnyDType>(
    /*work=*/1, [](auto x, auto y) { return wrapping(x, y, [](auto a, auto b) { return a + b; }); },
    [](const VjpArgs& v) -> Tensors {
      return {v.grads[0], v.grads[0]};
    });

constexpr OpDef kSub = binary_op<"sub", kNumbers>(
    /*work=*/1, [](auto x, auto y) { return wrapping(x, y, [](auto a, auto b) { return a - b; }); },
    [](const VjpArgs& v) -> Tensors {
      return {v.grads[0], negative(v.grads[0])};
    });

constexpr OpDef kMul = binary_op<"mul", kAnyDType>(
    /*work=*/1, [](auto x, auto y) { return wrapping(x, y, [](auto a, auto b) { return a * b; }); },
    [](const VjpArgs& v) -> Tensors {
      return {multiply(v.grads[0], v.inputs[1]), multiply(v.grads[0], v.inputs[0])};
    });

constexpr OpDef kNeg = unary_op<"neg", kNumbers>(
    /*work=*/1, [](auto x) { return wrapping(x, x, [](auto a, auto) { return -a; }); },
    [](const VjpArgs& v) -> Tensors { return {negative(v.grads[0])}; });

/// The lowest integer is its own absolute value: it has no positive counterpart.
constexpr OpDef kAbs = unary_op<"abs", kNumbers>(
    /*work=*/1,
    [](auto x) {
      using T = decltype(x);
      if constexpr (std::is_floating_point_v<T>) {
        return std::fabs(x);
      } else if constexpr (std::is_unsigned_v<T>) {
        return x;
      } else {
        return x < 0 ? wrapping(x, x, [](auto a, auto) { return -a; }) : x;
      }
    },
    [](const VjpArgs& v) -> Tensors { return {multiply(v.grads[0], sign(v.inputs[0]))}; });

/// -1, 0 or 1. Zeros keep their sign; NaN stays NaN.
constexpr OpDef kSign = unary_op<"sign", kNumbers>(/*work=*/1, [](auto x) {
  using T = decltype(x);
  return x > T(0) ? T(1) : x < T(0) ? static_cast<T>(-1) : x;
});

}  // namespace

OpSpan arithmetic_ops() {
  static constexpr const OpDef* kOps[] = {&kAdd, &kSub, &kMul, &kNeg, &kAbs, &kSign};
  return kOps;
}

Tensor add(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote("add", x, y);
  return ir::emit_one(kAdd, {a, b});
}

Tensor subtract(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote("subtract", x, y);
  return ir::emit_one(kSub, {a, b});
}

Tensor multiply(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote("multiply", x, y);
  return ir::emit_one(kMul, {a, b});
}

Tensor negative(const Tensor& x) {
  require_defined("negative", x);
  return ir::emit_one(kNeg, {to_dtype(x, x.dtype())});
}

Tensor absolute(const Tensor& x) {
  require_defined("absolute", x);
  const Tensor strong = to_dtype(x, x.dtype());
  return x.dtype() == DType::boolean ? strong : ir::emit_one(kAbs, {strong});
}

Tensor sign(const Tensor& x) {
  require_defined("sign", x);
  return ir::emit_one(kSign, {to_dtype(x, x.dtype())});
}

Tensor square(const Tensor& x) {
  require_defined("square", x);
  // As in Keras, booleans become integers.
  const Tensor number = to_dtype(x, x.dtype() == DType::boolean ? DType::int32 : x.dtype());
  return multiply(number, number);
}

Tensor squared_difference(const Tensor& x, const Tensor& y) { return square(subtract(x, y)); }

}  // namespace antler::ops
