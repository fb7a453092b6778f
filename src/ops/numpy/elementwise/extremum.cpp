#include "antler/ir/emit.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

/// The gradient goes to the selected operand; at a tie, each gets half of it, as in JAX.
Tensors extremum_vjp(const VjpArgs& v) {
  const Tensor& x = v.inputs[0];
  const Tensor& y = v.inputs[1];
  if (!is_floating(x.dtype())) return {{}, {}};
  const Tensor half = where(equal(x, y), multiply(v.grads[0], 0.5), v.grads[0]);
  return {where(equal(x, v.outputs[0]), half, 0), where(equal(y, v.outputs[0]), half, 0)};
}

/// Propagates NaN.
constexpr OpDef kMax = binary_op<"max", kAnyDType>(
    /*work=*/1, [](auto x, auto y) { return x > y || x != x ? x : y; }, extremum_vjp);

/// Propagates NaN.
constexpr OpDef kMin = binary_op<"min", kAnyDType>(
    /*work=*/1, [](auto x, auto y) { return x < y || x != x ? x : y; }, extremum_vjp);

}  // namespace

OpSpan extremum_ops() {
  static constexpr const OpDef* kOps[] = {&kMax, &kMin};
  return kOps;
}

Tensor maximum(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote("maximum", x, y);
  return ir::emit_one(kMax, {a, b});
}

Tensor minimum(const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote("minimum", x, y);
  return ir::emit_one(kMin, {a, b});
}

Tensor clip(const Tensor& x, const Tensor& low, const Tensor& high) {
  for (const Tensor* t : {&x, &low, &high}) require_defined("clip", *t);
  DType dtype = result_dtype({x, low, high});
  if (dtype == DType::boolean) dtype = DType::int32;  // as in Keras
  // where() instead of minimum(maximum()): a value at a bound gets the whole gradient. NaN stays
  // NaN.
  const Tensor value = to_dtype(x, dtype);
  const Tensor floor = to_dtype(low, dtype);
  const Tensor ceiling = to_dtype(high, dtype);
  return where(less(value, floor), minimum(floor, ceiling),
               where(greater(value, ceiling), ceiling, value));
}

}  // namespace antler::ops
