#include <functional>

#include "antler/ir/emit.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

template <OpName name, auto f>
constexpr OpDef comparison_op() {
  return {
      .name = name.text,
      .op_class = OpClass::elementwise,
      .infer = infer_predicate<name, kAnyDType, 2>,
      .reference = [](const ReferenceArgs& args) { binary_loop<kAnyDType, true>(args, f); },
      .no_gradient = true,
  };
}

// NaN is unequal to everything, and neither less nor greater.
constexpr OpDef kEq = comparison_op<"eq", std::equal_to<>{}>();
constexpr OpDef kNe = comparison_op<"ne", std::not_equal_to<>{}>();
constexpr OpDef kLt = comparison_op<"lt", std::less<>{}>();
constexpr OpDef kLe = comparison_op<"le", std::less_equal<>{}>();
constexpr OpDef kGt = comparison_op<"gt", std::greater<>{}>();
constexpr OpDef kGe = comparison_op<"ge", std::greater_equal<>{}>();

Tensor compare(const OpDef& op, const char* function, const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote(function, x, y);
  return ir::emit_one(op, {a, b});
}

}  // namespace

OpSpan comparison_ops() {
  static constexpr const OpDef* kOps[] = {&kEq, &kNe, &kLt, &kLe, &kGt, &kGe};
  return kOps;
}

Tensor equal(const Tensor& x, const Tensor& y) { return compare(kEq, "equal", x, y); }
Tensor not_equal(const Tensor& x, const Tensor& y) { return compare(kNe, "not_equal", x, y); }
Tensor less(const Tensor& x, const Tensor& y) { return compare(kLt, "less", x, y); }
Tensor less_equal(const Tensor& x, const Tensor& y) { return compare(kLe, "less_equal", x, y); }
Tensor greater(const Tensor& x, const Tensor& y) { return compare(kGt, "greater", x, y); }
Tensor greater_equal(const Tensor& x, const Tensor& y) {
  return compare(kGe, "greater_equal", x, y);
}

}  // namespace antler::ops
