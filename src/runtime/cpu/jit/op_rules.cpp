#include "runtime/cpu/jit/op_rules.h"

#include <algorithm>

#include "runtime/cpu/jit/math.h"

namespace antler::runtime::jit {

using llvm::CmpInst;
using llvm::Type;
using llvm::Value;
using llvm::Intrinsic::ID;

namespace {

using Unary = Value* (*)(const Gen&, Value*);

template <Unary f>
Value* function(const OpCall& c) {
  return f(c.g, c.args[0]);
}

/// Name of a C library function as a template argument.
template <size_t n>
struct Name {
  constexpr Name(const char (&name)[n]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(name, n, text);
  }
  char text[n];
};

template <Name name>
Value* library(const OpCall& c) {
  if (c.args.size() == 2) return math::libm(c.g, name.text, c.args[0], c.args[1]);
  return math::libm(c.g, name.text, c.args[0]);
}

template <ID id>
Value* intrinsic(const OpCall& c) {
  return c.g.intrinsic(id, c.args[0]);
}

bool is_non_nan_constant(Value* v) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(v);
  if (constant != nullptr && v->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return number != nullptr && !number->isNaN();
}

Value* emit_neg(const OpCall& c) {
  return is_floating(c.dtype) ? c.g.b.CreateFNeg(c.args[0]) : c.g.b.CreateNeg(c.args[0]);
}

Value* emit_abs(const OpCall& c) {
  Value* x = c.args[0];
  if (is_floating(c.dtype)) return c.g.abs(x);
  if (!is_signed_integer(c.dtype)) return x;
  return c.g.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, c.g.b.getFalse());
}

Value* emit_sign(const OpCall& c) {
  llvm::IRBuilder<>& b = c.g.b;
  Value* x = c.args[0];
  if (is_floating(c.dtype)) {
    Value* negative = b.CreateSelect(b.CreateFCmpOLT(x, c.g.number(x, 0)), c.g.number(x, -1), x);
    return b.CreateSelect(b.CreateFCmpOGT(x, c.g.number(x, 0)), c.g.number(x, 1), negative);
  }
  Value* zero = c.g.integer(x, 0);
  Value* positive = b.CreateZExt(b.CreateICmpNE(x, zero), x->getType());
  if (!is_signed_integer(c.dtype)) return positive;
  return b.CreateSelect(b.CreateICmpSLT(x, zero), c.g.integer(x, -1), positive);
}

Value* emit_add(const OpCall& c) {
  if (is_floating(c.dtype)) return c.g.fadd(c.args[0], c.args[1]);
  if (c.dtype == DType::boolean) return c.g.b.CreateOr(c.args[0], c.args[1]);
  return c.g.b.CreateAdd(c.args[0], c.args[1]);
}

Value* emit_sub(const OpCall& c) {
  if (is_floating(c.dtype)) return c.g.fsub(c.args[0], c.args[1]);
  return c.g.b.CreateSub(c.args[0], c.args[1]);
}

Value* emit_mul(const OpCall& c) {
  if (is_floating(c.dtype)) return c.g.fmul(c.args[0], c.args[1]);
  if (c.dtype == DType::boolean) return c.g.b.CreateAnd(c.args[0], c.args[1]);
  return c.g.b.CreateMul(c.args[0], c.args[1]);
}

/// Integer division that cannot trap: x / 0 = -1, x % 0 = x, and division by -1 is a negation.
Value* integer_division(const OpCall& c, bool remainder) {
  llvm::IRBuilder<>& b = c.g.b;
  Value* x = c.args[0];
  Value* y = c.args[1];
  Value* zero = c.g.integer(x, 0);
  Value* by_zero = b.CreateICmpEQ(y, zero);
  if (!is_signed_integer(c.dtype)) {
    Value* divisor = b.CreateSelect(by_zero, c.g.integer(x, 1), y);
    Value* result = remainder ? b.CreateURem(x, divisor) : b.CreateUDiv(x, divisor);
    return b.CreateSelect(by_zero, remainder ? x : c.g.integer(x, -1), result);
  }
  Value* by_minus_one = b.CreateICmpEQ(y, c.g.integer(x, -1));
  Value* divisor = b.CreateSelect(b.CreateOr(by_zero, by_minus_one), c.g.integer(x, 1), y);
  Value* result = remainder ? b.CreateSRem(x, divisor) : b.CreateSDiv(x, divisor);
  result = b.CreateSelect(by_minus_one, remainder ? zero : b.CreateNeg(x), result);
  return b.CreateSelect(by_zero, remainder ? x : c.g.integer(x, -1), result);
}

Value* emit_div(const OpCall& c) {
  if (is_floating(c.dtype)) return c.g.b.CreateFDiv(c.args[0], c.args[1]);
  return integer_division(c, false);
}

Value* emit_rem(const OpCall& c) {
  if (is_floating(c.dtype)) return math::libm(c.g, "fmod", c.args[0], c.args[1]);
  return integer_division(c, true);
}

Value* emit_pow(const OpCall& c) {
  if (is_floating(c.dtype)) return math::pow(c.g, c.args[0], c.args[1]);
  llvm::IRBuilder<>& b = c.g.b;
  Type* wide = Gen::like(c.args[0], b.getInt64Ty());
  const bool with_sign = is_signed_integer(c.dtype);
  Value* const args[] = {b.CreateIntCast(c.args[0], wide, with_sign),
                         b.CreateIntCast(c.args[1], wide, with_sign)};
  Value* power = c.g.call(with_sign ? "antler_pow_i64" : "antler_pow_u64", args);
  return b.CreateTrunc(power, c.args[0]->getType());
}

template <bool maximum>
Value* extremum(const OpCall& c) {
  return emit_extremum(c.g, c.dtype, maximum, c.args[0], c.args[1]);
}

template <llvm::Instruction::BinaryOps op>
Value* bits(const OpCall& c) {
  return c.g.b.CreateBinOp(op, c.args[0], c.args[1]);
}

Value* emit_not(const OpCall& c) { return c.g.b.CreateNot(c.args[0]); }

/// Shifting by the width of the type or more shifts all bits out.
template <bool left>
Value* shift(const OpCall& c) {
  llvm::IRBuilder<>& b = c.g.b;
  Value* x = c.args[0];
  Value* count = c.args[1];
  const int64_t width = static_cast<int64_t>(dtype_size(c.dtype)) * 8;
  Value* inside = b.CreateICmpULT(count, c.g.integer(x, width));
  if (!left && is_signed_integer(c.dtype)) {
    return b.CreateAShr(x, b.CreateSelect(inside, count, c.g.integer(x, width - 1)));
  }
  Value* safe = b.CreateSelect(inside, count, c.g.integer(x, 0));
  Value* shifted = left ? b.CreateShl(x, safe) : b.CreateLShr(x, safe);
  return b.CreateSelect(inside, shifted, c.g.integer(x, 0));
}

template <CmpInst::Predicate floats, CmpInst::Predicate with_sign, CmpInst::Predicate without>
Value* compare(const OpCall& c) {
  if (is_floating(c.arg_dtype)) return c.g.b.CreateFCmp(floats, c.args[0], c.args[1]);
  return c.g.b.CreateICmp(is_signed_integer(c.arg_dtype) ? with_sign : without, c.args[0],
                          c.args[1]);
}

Value* emit_is_finite(const OpCall& c) {
  Value* x = c.g.abs(c.args[0]);
  return c.g.b.CreateFCmpOLT(x, llvm::ConstantFP::getInfinity(x->getType()));
}

Value* emit_convert(const OpCall& c) {
  llvm::IRBuilder<>& b = c.g.b;
  Value* x = c.args[0];
  Type* to = Gen::like(x, c.g.compute_type(c.dtype));
  const bool from_float = is_floating(c.arg_dtype);
  if (c.dtype == DType::boolean) {
    if (c.arg_dtype == DType::boolean) return x;
    return from_float ? b.CreateFCmpUNE(x, c.g.number(x, 0)) : b.CreateICmpNE(x, c.g.integer(x, 0));
  }
  const bool from_signed = is_signed_integer(c.arg_dtype);
  if (is_floating(c.dtype)) {
    if (from_float) return b.CreateFPCast(x, to);
    return from_signed ? b.CreateSIToFP(x, to) : b.CreateUIToFP(x, to);
  }
  if (!from_float) return b.CreateIntCast(x, to, from_signed);
  // Saturates; NaN becomes 0.
  const ID id =
      is_signed_integer(c.dtype) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return b.CreateIntrinsic(id, {to, x->getType()}, {x});
}

Value* emit_bitcast(const OpCall& c) {
  Value* memory = c.g.pack(c.args[0], c.arg_dtype);
  Value* other = c.g.b.CreateBitCast(memory, Gen::like(memory, c.g.memory_type(c.dtype)));
  return c.g.unpack(other, c.dtype);
}

Value* emit_select(const OpCall& c) { return c.g.b.CreateSelect(c.args[0], c.args[1], c.args[2]); }

Value* emit_same(const OpCall& c) { return c.args[0]; }

Value* emit_rsqrt(const OpCall& c) {
  Value* root = c.g.intrinsic(llvm::Intrinsic::sqrt, c.args[0]);
  return c.g.b.CreateFDiv(c.g.number(root, 1), root);
}

Value* emit_lgamma(const OpCall& c) {
  const bool wide = c.dtype == DType::float64;
  return c.g.call(wide ? "antler_lgamma" : "antler_lgammaf", c.args[0]);
}

Value* emit_digamma(const OpCall& c) {
  const bool wide = c.dtype == DType::float64;
  return c.g.call(wide ? "antler_digamma" : "antler_digammaf", c.args[0]);
}

/// Eight scalar calls per vector.
constexpr double kLibrary = 160;

constexpr OpRule kRules[] = {
    {"neg", 0.5, true, emit_neg},
    {"abs", 0.5, true, emit_abs},
    {"sign", 2, true, emit_sign},
    {"exp", 9, false, function<math::exp>},
    {"expm1", 11, false, function<math::expm1>},
    {"log", 13, false, function<math::log>},
    {"log1p", 20, false, function<math::log1p>},
    {"sqrt", 6, false, intrinsic<llvm::Intrinsic::sqrt>},
    {"rsqrt", 11, false, emit_rsqrt},
    {"sin", 12, false, function<math::sin>},
    {"cos", 12, false, function<math::cos>},
    {"tan", kLibrary, false, library<"tan">},
    {"asin", kLibrary, false, library<"asin">},
    {"acos", kLibrary, false, library<"acos">},
    {"atan", kLibrary, false, library<"atan">},
    {"sinh", kLibrary, false, library<"sinh">},
    {"cosh", kLibrary, false, library<"cosh">},
    {"tanh", 16, false, function<math::tanh>},
    {"asinh", kLibrary, false, library<"asinh">},
    {"acosh", kLibrary, false, library<"acosh">},
    {"atanh", kLibrary, false, library<"atanh">},
    {"sigmoid", 14, false, function<math::sigmoid>},
    {"erf", 20, false, function<math::erf>},
    {"erfc", kLibrary, false, library<"erfc">},
    {"erf_inv", 30, false, function<math::erf_inv>},
    {"lgamma", 2 * kLibrary, false, emit_lgamma},
    {"digamma", 2 * kLibrary, false, emit_digamma},
    {"floor", 0.5, true, intrinsic<llvm::Intrinsic::floor>},
    {"ceil", 0.5, true, intrinsic<llvm::Intrinsic::ceil>},
    {"round", 0.5, true, intrinsic<llvm::Intrinsic::roundeven>},
    {"trunc", 0.5, true, intrinsic<llvm::Intrinsic::trunc>},
    {"not", 0.5, true, emit_not},
    {"is_finite", 1, true, emit_is_finite},
    {"convert", 0.5, false, emit_convert},
    {"bitcast", 0, true, emit_bitcast},
    {"stop_gradient", 0, true, emit_same},
    {"add", 0.5, false, emit_add},
    {"sub", 0.5, false, emit_sub},
    {"mul", 0.5, false, emit_mul},
    {"div", 5, false, emit_div},
    {"rem", kLibrary, false, emit_rem},
    {"pow", 50, false, emit_pow},
    {"max", 1, true, extremum<true>},
    {"min", 1, true, extremum<false>},
    {"atan2", 2 * kLibrary, false, library<"atan2">},
    {"and", 0.5, true, bits<llvm::Instruction::And>},
    {"or", 0.5, true, bits<llvm::Instruction::Or>},
    {"xor", 0.5, true, bits<llvm::Instruction::Xor>},
    {"shift_left", 1.5, true, shift<true>},
    {"shift_right", 1.5, true, shift<false>},
    {"eq", 0.5, true, compare<CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ>},
    {"ne", 0.5, true, compare<CmpInst::FCMP_UNE, CmpInst::ICMP_NE, CmpInst::ICMP_NE>},
    {"lt", 0.5, true, compare<CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT>},
    {"le", 0.5, true, compare<CmpInst::FCMP_OLE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE>},
    {"gt", 0.5, true, compare<CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT>},
    {"ge", 0.5, true, compare<CmpInst::FCMP_OGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE>},
    {"select", 0.5, true, emit_select},
};

}  // namespace

const OpRule* find_rule(std::string_view name) {
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const OpRule& r) { return name == r.name; });
  return rule == std::end(kRules) ? nullptr : rule;
}

Value* emit_extremum(const Gen& g, DType dtype, bool maximum, Value* x, Value* y) {
  llvm::IRBuilder<>& b = g.b;
  if (dtype == DType::boolean) return maximum ? b.CreateOr(x, y) : b.CreateAnd(x, y);
  if (!is_floating(dtype)) {
    const ID with_sign = maximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin;
    const ID without = maximum ? llvm::Intrinsic::umax : llvm::Intrinsic::umin;
    return b.CreateBinaryIntrinsic(is_signed_integer(dtype) ? with_sign : without, x, y);
  }
  // (x > y ? x : y) returns y if either is NaN. With a constant as x, no NaN test is needed.
  if (is_non_nan_constant(y)) std::swap(x, y);
  Value* first = b.CreateFCmp(maximum ? CmpInst::FCMP_OGT : CmpInst::FCMP_OLT, x, y);
  Value* result = b.CreateSelect(first, x, y);
  return is_non_nan_constant(x) ? result : b.CreateSelect(g.is_nan(x), x, result);
}

}  // namespace antler::runtime::jit
