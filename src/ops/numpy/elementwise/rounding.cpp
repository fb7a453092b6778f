#include <cmath>
#include <limits>

#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/float_unary.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

constexpr OpDef kFloor =
    unary_op<"floor", kFloats>(/*work=*/1, [](auto x) { return std::floor(x); });
constexpr OpDef kCeil = unary_op<"ceil", kFloats>(/*work=*/1, [](auto x) { return std::ceil(x); });
constexpr OpDef kTrunc =
    unary_op<"trunc", kFloats>(/*work=*/1, [](auto x) { return std::trunc(x); });
// The default rounding mode rounds halves to even.
constexpr OpDef kRound =
    unary_op<"round", kFloats>(/*work=*/1, [](auto x) { return std::nearbyint(x); });

constinit const OpDef kIsFinite = {
    .name = "is_finite",
    .op_class = OpClass::elementwise,
    .infer = infer_predicate<"is_finite", kFloats, 1>,
    .reference =
        [](const ReferenceArgs& args) {
          dispatch_kinds<kFloats>(args.inputs[0].dtype(), [&]<class T>() {
            const T* x = args.inputs[0].template data<T>();
            bool* out = args.outputs[0].template mutable_data<bool>();
            const int64_t n = args.outputs[0].size();
            for (int64_t i = 0; i < n; ++i)
              out[i] = std::isfinite(static_cast<ComputeType<T>>(x[i]));
          });
        },
    .no_gradient = true,
};

}  // namespace

OpSpan rounding_ops() {
  static constexpr const OpDef* kOps[] = {&kFloor, &kCeil, &kTrunc, &kRound, &kIsFinite};
  return kOps;
}

Tensor floor(const Tensor& x) { return float_unary(kFloor, x); }
Tensor ceil(const Tensor& x) { return float_unary(kCeil, x); }

Tensor round(const Tensor& x) {
  require_defined("round", x);
  if (is_integer(x.dtype())) return to_dtype(x, x.dtype());
  return float_unary(kRound, x);
}

Tensor round(const Tensor& x, int64_t decimals) {
  if (decimals == 0) return round(x);
  if (!is_floating(x.dtype()) && decimals > 0) return x;
  // Positive powers of ten are exact; negative ones are not.
  const double power = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  if (decimals > 0) return round(x * power) / power;
  return cast(round(x / power) * power, x.dtype());
}

Tensor trunc(const Tensor& x) {
  require_defined("trunc", x);
  if (!is_floating(x.dtype())) return to_dtype(x, x.dtype());
  return float_unary(kTrunc, x);
}

Tensor isfinite(const Tensor& x) { return float_unary(kIsFinite, x); }

Tensor isinf(const Tensor& x) {
  return equal(absolute(to_float("isinf", x)), std::numeric_limits<double>::infinity());
}

Tensor isnan(const Tensor& x) {
  const Tensor f = to_float("isnan", x);
  return not_equal(f, f);
}

}  // namespace antler::ops
