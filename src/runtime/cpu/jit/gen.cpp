#include "runtime/cpu/jit/gen.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/loop_nest.h"

namespace antler::runtime::jit {

using compiler::is_half;
using llvm::Type;
using llvm::Value;

namespace {

constexpr int kRegister = 16;  // floats of an AVX-512 register

bool fills_register(const Value* v) {
  return Gen::lanes(v) == kRegister && v->getType()->getScalarType()->isFloatTy();
}

Value* contractible(Value* v) {
  if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(v)) {
    instruction->setHasAllowContract(true);
  }
  return v;
}

/// float32 to the bits of bfloat16, by integer arithmetic: round to nearest even, NaN stays NaN.
Value* bfloat16_bits(const Gen& g, Value* v) {
  Value* u = g.b.CreateBitCast(v, g.bits_type(v));
  Value* odd = g.b.CreateAnd(g.b.CreateLShr(u, 16), g.integer(u, 1));
  Value* rounded = g.b.CreateAdd(u, g.b.CreateAdd(odd, g.integer(u, 0x7fff)));
  Value* quiet = g.b.CreateOr(u, g.integer(u, 0x400000));
  return g.b.CreateLShr(g.b.CreateSelect(g.is_nan(v), quiet, rounded), 16);
}

/// float32 to the bits of float16 (in 32-bit lanes) for CPUs without F16C; see float16's
/// constructor.
Value* float16_bits(const Gen& g, Value* v) {
  llvm::IRBuilder<>& b = g.b;
  Value* u = b.CreateBitCast(v, g.bits_type(v));
  Value* sign = b.CreateAnd(b.CreateLShr(u, 16), g.integer(u, 0x8000));
  Value* magnitude = b.CreateAnd(u, g.integer(u, 0x7fffffff));
  Value* odd = b.CreateAnd(b.CreateLShr(magnitude, 13), g.integer(u, 1));
  Value* normal =
      b.CreateLShr(b.CreateAdd(b.CreateAdd(magnitude, g.integer(u, 0xfff - 0x38000000)), odd), 13);
  // Adding 0.5 aligns the mantissa, so that the FPU rounds.
  Value* aligned = b.CreateFAdd(b.CreateBitCast(magnitude, v->getType()), g.number(v, 0.5));
  Value* subnormal = b.CreateSub(b.CreateBitCast(aligned, u->getType()), g.integer(u, 0x3f000000));
  Value* result =
      b.CreateSelect(b.CreateICmpUGE(magnitude, g.integer(u, 0x38800000)), normal, subnormal);
  result = b.CreateSelect(b.CreateICmpUGE(magnitude, g.integer(u, 0x477ff000)),
                          g.integer(u, 0x7c00), result);
  result = b.CreateSelect(b.CreateICmpUGT(magnitude, g.integer(u, 0x7f800000)),
                          g.integer(u, 0x7e00), result);
  return b.CreateOr(result, sign);
}

/// Bits of float16 (in 32-bit lanes) to float32 for CPUs without F16C. Scaling by 2^112 adjusts the
/// exponent, also of subnormals.
Value* float16_value(const Gen& g, Value* u) {
  llvm::IRBuilder<>& b = g.b;
  Type* floats = Gen::like(u, b.getFloatTy());
  Value* sign = b.CreateShl(b.CreateAnd(u, g.integer(u, 0x8000)), 16);
  Value* magnitude = b.CreateShl(b.CreateAnd(u, g.integer(u, 0x7fff)), 13);
  Value* scaled = b.CreateFMul(b.CreateBitCast(magnitude, floats), g.number(floats, 0x1p112));
  Value* special = b.CreateICmpUGE(magnitude, g.integer(u, 0x0f800000));
  Value* bits = b.CreateSelect(special, b.CreateOr(magnitude, g.integer(u, 0x7f800000)),
                               b.CreateBitCast(scaled, u->getType()));
  return b.CreateBitCast(b.CreateOr(bits, sign), floats);
}

}  // namespace

Type* Gen::compute_type(DType dtype) const {
  if (dtype == DType::boolean) return b.getInt1Ty();
  return is_half(dtype) ? b.getFloatTy() : memory_type(dtype);
}

Type* Gen::memory_type(DType dtype) const {
  switch (dtype) {
    case DType::float32:
      return b.getFloatTy();
    case DType::float64:
      return b.getDoubleTy();
    case DType::bfloat16:
    case DType::float16:
    case DType::int16:
    case DType::uint16:
      return b.getInt16Ty();
    case DType::int32:
    case DType::uint32:
      return b.getInt32Ty();
    case DType::int64:
    case DType::uint64:
      return b.getInt64Ty();
    case DType::int8:
    case DType::uint8:
    case DType::boolean:
      break;
  }
  return b.getInt8Ty();
}

int Gen::lanes(const Value* v) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
}

Type* Gen::vector_of(Type* scalar, int lanes) {
  return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes));
}

Type* Gen::like(const Value* v, Type* scalar) {
  return v->getType()->isVectorTy() ? vector_of(scalar, lanes(v)) : scalar;
}

Type* Gen::bits_type(const Value* v) const {
  return like(v, b.getIntNTy(v->getType()->getScalarSizeInBits()));
}

Value* Gen::number(Type* type, double value) const { return llvm::ConstantFP::get(type, value); }

Value* Gen::integer(Type* type, int64_t value) const {
  return llvm::ConstantInt::get(type, static_cast<uint64_t>(value), true);
}

Value* Gen::splat(Value* v, int lanes) const {
  return lanes == 1 ? v : b.CreateVectorSplat(static_cast<unsigned>(lanes), v);
}

Value* Gen::fma(Value* x, Value* y, Value* z) const {
  if (!target.fma) return b.CreateFAdd(b.CreateFMul(x, y), z);
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}

Value* Gen::poly(Value* x, std::span<const double> coefficients) const {
  Value* result = number(x, coefficients[0]);
  for (double c : coefficients.subspan(1)) result = fma(result, x, number(x, c));
  return result;
}

Value* Gen::scale(Value* x, Value* n) const {
  if (!target.scaling || !fills_register(x)) return nullptr;
  constexpr int kCurrentRounding = 4;
  return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                           {x, n, x, b.getInt16(0xffff), b.getInt32(kCurrentRounding)});
}

Value* Gen::fadd(Value* x, Value* y) const { return contractible(b.CreateFAdd(x, y)); }
Value* Gen::fsub(Value* x, Value* y) const { return contractible(b.CreateFSub(x, y)); }
Value* Gen::fmul(Value* x, Value* y) const { return contractible(b.CreateFMul(x, y)); }

Value* Gen::copysign(Value* magnitude, Value* sign) const {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

Value* Gen::call(const std::string& function, std::span<Value* const> args) const {
  std::vector<Type*> types;
  for (Value* arg : args) types.push_back(arg->getType()->getScalarType());
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(function, llvm::FunctionType::get(types[0], types, false));
  auto* declaration = llvm::cast<llvm::Function>(callee.getCallee());
  declaration->setDoesNotThrow();
  declaration->setDoesNotAccessMemory();
  declaration->addFnAttr(llvm::Attribute::WillReturn);
  if (!args[0]->getType()->isVectorTy()) {
    return b.CreateCall(callee, llvm::ArrayRef(args.data(), args.size()));
  }
  Value* result = llvm::PoisonValue::get(args[0]->getType());
  for (int lane = 0; lane < lanes(args[0]); ++lane) {
    std::vector<Value*> scalars;
    for (Value* arg : args) {
      scalars.push_back(b.CreateExtractElement(arg, static_cast<uint64_t>(lane)));
    }
    result =
        b.CreateInsertElement(result, b.CreateCall(callee, scalars), static_cast<uint64_t>(lane));
  }
  return result;
}

Value* Gen::any(Value* mask) const {
  if (!mask->getType()->isVectorTy()) return mask;
  Value* bits = b.CreateBitCast(mask, b.getIntNTy(static_cast<unsigned>(lanes(mask))));
  return b.CreateICmpNE(bits, integer(bits, 0));
}

Value* Gen::round_half(Value* v, DType dtype) const {
  if (dtype == DType::float16) return unpack(pack(v, dtype), dtype);
  if (target.bfloat16_rounding && fills_register(v)) {
    Value* rounded = b.CreateIntrinsic(llvm::Intrinsic::x86_avx512bf16_cvtneps2bf16_512, {}, {v});
    return unpack(b.CreateBitCast(rounded, like(v, b.getInt16Ty())), dtype);
  }
  return b.CreateBitCast(b.CreateShl(bfloat16_bits(*this, v), 16), v->getType());
}

Value* Gen::pack(Value* v, DType dtype) const {
  if (dtype == DType::boolean) return b.CreateZExt(v, like(v, b.getInt8Ty()));
  if (!is_half(dtype)) return v;
  Type* shorts = like(v, b.getInt16Ty());
  if (dtype == DType::bfloat16) {
    using namespace llvm::PatternMatch;  // NOLINT(google-build-using-namespace): LLVM's idiom
    Value* packed = nullptr;             // undoes the unpack() of round_half()
    if (match(v, m_BitCast(m_Shl(m_ZExt(m_Value(packed)), m_SpecificInt(16)))) &&
        packed->getType() == shorts) {
      return packed;
    }
    Value* bits = b.CreateBitCast(v, bits_type(v));
    return b.CreateTrunc(b.CreateLShr(bits, 16), shorts);
  }
  if (target.half_conversion) {
    return b.CreateBitCast(b.CreateFPTrunc(v, like(v, b.getHalfTy())), shorts);
  }
  return b.CreateTrunc(float16_bits(*this, v), shorts);
}

Value* Gen::unpack(Value* v, DType dtype) const {
  if (dtype == DType::boolean) return b.CreateICmpNE(v, integer(v, 0));
  if (!is_half(dtype)) return v;
  Type* floats = like(v, b.getFloatTy());
  if (dtype == DType::float16 && target.half_conversion) {
    return b.CreateFPExt(b.CreateBitCast(v, like(v, b.getHalfTy())), floats);
  }
  Value* wide = b.CreateZExt(v, like(v, b.getInt32Ty()));
  if (dtype == DType::bfloat16) return b.CreateBitCast(b.CreateShl(wide, 16), floats);
  return float16_value(*this, wide);
}

}  // namespace antler::runtime::jit
