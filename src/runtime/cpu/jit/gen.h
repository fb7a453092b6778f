#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "antler/core/dtype.h"

namespace antler::runtime::jit {

/// Properties of the CPU that code generation depends on.
struct TargetInfo {
  int vector_bytes = 16;
  int vector_registers = 16;
  bool fma = false;
  int masked_bytes = 0;            ///< smallest element size of masked loads; 0: none
  bool masked_stores = false;      ///< has fast masked stores
  bool half_conversion = false;    ///< converts between float16 and float32
  bool bfloat16_rounding = false;  ///< rounds 16 floats to bfloat16 (vcvtneps2bf16)
  bool scaling = false;            ///< multiplies 16 floats by powers of two (vscalefps)
};

/// Emits instructions for scalars and vectors alike. Values are held in their *compute type*: float
/// for the half types, i1 for boolean, otherwise the type itself.
class Gen {
 public:
  Gen(llvm::IRBuilder<>& builder, llvm::Module& module, const TargetInfo& target)
      : b(builder), module(module), target(target) {}

  llvm::IRBuilder<>& b;
  llvm::Module& module;
  const TargetInfo& target;

  /// Scalar types of a dtype in registers and in memory.
  llvm::Type* compute_type(DType dtype) const;
  llvm::Type* memory_type(DType dtype) const;

  static int lanes(const llvm::Value* v);
  /// `scalar` with as many lanes as `v`.
  static llvm::Type* like(const llvm::Value* v, llvm::Type* scalar);
  /// The integer type with the bits and lanes of `v`.
  llvm::Type* bits_type(const llvm::Value* v) const;
  static llvm::Type* vector_of(llvm::Type* scalar, int lanes);

  llvm::Value* number(llvm::Type* type, double value) const;
  llvm::Value* number(const llvm::Value* like, double value) const {
    return number(like->getType(), value);
  }
  llvm::Value* integer(llvm::Type* type, int64_t value) const;
  llvm::Value* integer(const llvm::Value* like, int64_t value) const {
    return integer(like->getType(), value);
  }
  llvm::Value* i64(int64_t value) const { return b.getInt64(static_cast<uint64_t>(value)); }

  /// Broadcasts a scalar; returns `v` itself for one lane.
  llvm::Value* splat(llvm::Value* v, int lanes) const;

  /// x * y + z, rounded once if the CPU has FMA.
  llvm::Value* fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) const;
  /// Horner's rule: coefficients from the highest power down.
  llvm::Value* poly(llvm::Value* x, std::span<const double> coefficients) const;
  llvm::Value* poly(llvm::Value* x, std::initializer_list<double> coefficients) const {
    return poly(x, std::span(coefficients.begin(), coefficients.size()));
  }
  /// x * 2^n for integral n, correct even if 2^n is not a normal number. Null if the CPU has no
  /// instruction for it.
  llvm::Value* scale(llvm::Value* x, llvm::Value* n) const;
  /// +, -, * that may be contracted to an FMA.
  llvm::Value* fadd(llvm::Value* x, llvm::Value* y) const;
  llvm::Value* fsub(llvm::Value* x, llvm::Value* y) const;
  llvm::Value* fmul(llvm::Value* x, llvm::Value* y) const;

  llvm::Value* intrinsic(llvm::Intrinsic::ID id, llvm::Value* v) const {
    return b.CreateUnaryIntrinsic(id, v);
  }
  llvm::Value* abs(llvm::Value* v) const { return intrinsic(llvm::Intrinsic::fabs, v); }
  llvm::Value* copysign(llvm::Value* magnitude, llvm::Value* sign) const;
  llvm::Value* is_nan(llvm::Value* v) const { return b.CreateFCmpUNO(v, v); }

  /// Calls a C function lane by lane.
  llvm::Value* call(const std::string& function, std::span<llvm::Value* const> args) const;
  llvm::Value* call(const std::string& function, llvm::Value* arg) const {
    return call(function, std::span(&arg, 1));
  }
  /// Whether any lane of the mask is set.
  llvm::Value* any(llvm::Value* mask) const;

  /// Rounds a float to the precision of a half type.
  llvm::Value* round_half(llvm::Value* v, DType dtype) const;
  /// Converts from compute type to memory type and back. The value given to pack() must be rounded
  /// already (round_half()).
  llvm::Value* pack(llvm::Value* v, DType dtype) const;
  llvm::Value* unpack(llvm::Value* v, DType dtype) const;
};

}  // namespace antler::runtime::jit
