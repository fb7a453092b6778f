#include <functional>

#include "antler/ir/emit.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

constexpr Kinds kBits = kInts | kBool;

constexpr OpDef kAnd = binary_op<"and", kBits>(/*work=*/1, std::bit_and<>{});
constexpr OpDef kOr = binary_op<"or", kBits>(/*work=*/1, std::bit_or<>{});
constexpr OpDef kXor = binary_op<"xor", kBits>(/*work=*/1, std::bit_xor<>{});

/// Whether the shift count is less than the width. Larger shifts, undefined in C++, shift out all
/// bits as in XLA.
template <class T>
bool is_shift(T count) {
  return static_cast<uint64_t>(count) < sizeof(T) * 8;
}

constexpr OpDef kShiftLeft = binary_op<"shift_left", kInts>(/*work=*/1, [](auto x, auto count) {
  using T = decltype(x);
  return is_shift(count) ? static_cast<T>(static_cast<uint64_t>(x) << count) : T(0);
});
constexpr OpDef kShiftRight = binary_op<"shift_right", kInts>(/*work=*/1, [](auto x, auto count) {
  using T = decltype(x);
  return is_shift(count) ? static_cast<T>(x >> count) : static_cast<T>(x < T(0) ? -1 : 0);
});

constexpr OpDef kNot = unary_op<"not", kBits>(/*work=*/1, [](auto x) {
  if constexpr (std::is_same_v<decltype(x), bool>) {
    return !x;
  } else {
    return ~x;
  }
});

Tensor logical(const OpDef& op, const char* function, const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote_to(function, x, y, DType::boolean);
  return ir::emit_one(op, {a, b});
}

Tensor bitwise(const OpDef& op, const char* function, const Tensor& x, const Tensor& y) {
  const auto [a, b] = promote(function, x, y);
  return ir::emit_one(op, {a, b});
}

}  // namespace

OpSpan logic_ops() {
  static constexpr const OpDef* kOps[] = {&kAnd, &kOr, &kXor, &kShiftLeft, &kShiftRight, &kNot};
  return kOps;
}

Tensor logical_and(const Tensor& x, const Tensor& y) { return logical(kAnd, "logical_and", x, y); }
Tensor logical_or(const Tensor& x, const Tensor& y) { return logical(kOr, "logical_or", x, y); }
Tensor logical_xor(const Tensor& x, const Tensor& y) { return logical(kXor, "logical_xor", x, y); }

Tensor logical_not(const Tensor& x) {
  require_defined("logical_not", x);
  return ir::emit_one(kNot, {to_dtype(x, DType::boolean)});
}

Tensor bitwise_and(const Tensor& x, const Tensor& y) { return bitwise(kAnd, "bitwise_and", x, y); }
Tensor bitwise_or(const Tensor& x, const Tensor& y) { return bitwise(kOr, "bitwise_or", x, y); }
Tensor bitwise_xor(const Tensor& x, const Tensor& y) { return bitwise(kXor, "bitwise_xor", x, y); }

Tensor bitwise_not(const Tensor& x) {
  require_defined("bitwise_not", x);
  return ir::emit_one(kNot, {to_dtype(x, x.dtype())});
}

Tensor left_shift(const Tensor& x, const Tensor& y) {
  return bitwise(kShiftLeft, "left_shift", x, y);
}
Tensor right_shift(const Tensor& x, const Tensor& y) {
  return bitwise(kShiftRight, "right_shift", x, y);
}

}  // namespace antler::ops
