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

/// What code generation must know of the CPU.
struct TargetInfo {
  int vector_bytes = 16;
  int vector_registers = 16;
  bool fma = false;
  int masked_bytes = 0;            ///< smallest element of masked loads; 0: there are none
  bool masked_stores = false;      ///< masked stores are as fast as others
  bool half_conversion = false;    ///< instructions between float16 and float32
  bool bfloat16_rounding = false;  ///< 16 floats to bfloat16 in one instruction
  bool scaling = false;            ///< 16 floats times powers of two in one instruction
};

/// Makes instructions for values of any shape: scalars and vectors of one element type alike. A
/// value is held in its *compute type*: float for the half types, i1 for boolean, the type itself
/// otherwise.
class Gen {
 public:
  Gen(llvm::IRBuilder<>& builder, llvm::Module& module, const TargetInfo& target)
      : b(builder), module(module), target(target) {}

  llvm::IRBuilder<>& b;
  llvm::Module& module;
  const TargetInfo& target;

  /// Scalar types of a dtype: as computed with, and as it lies in memory.
  llvm::Type* compute_type(DType dtype) const;
  llvm::Type* memory_type(DType dtype) const;

  static int lanes(const llvm::Value* v);
  /// `scalar` with as many lanes as `v`.
  static llvm::Type* like(const llvm::Value* v, llvm::Type* scalar);
  /// The integer type of the same bits as the floats of `v`, same lanes.
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
  /// An integer value's bits as float type `like`, the same in all lanes.
  llvm::Value* i64(int64_t value) const { return b.getInt64(static_cast<uint64_t>(value)); }

  /// All lanes the scalar `v`; `v` itself for one lane.
  llvm::Value* splat(llvm::Value* v, int lanes) const;

  /// x*y + z, rounded once where the CPU can.
  llvm::Value* fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) const;
  /// Horner's rule: coefficients from the highest power down.
  llvm::Value* poly(llvm::Value* x, std::span<const double> coefficients) const;
  llvm::Value* poly(llvm::Value* x, std::initializer_list<double> coefficients) const {
    return poly(x, std::span(coefficients.begin(), coefficients.size()));
  }
  /// x * 2^n for whole n, also where 2^n alone is no normal number; null where the CPU has
  /// no instruction for it.
  llvm::Value* scale(llvm::Value* x, llvm::Value* n) const;
  /// +, -, * that may be contracted to a fused multiply-add.
  llvm::Value* fadd(llvm::Value* x, llvm::Value* y) const;
  llvm::Value* fsub(llvm::Value* x, llvm::Value* y) const;
  llvm::Value* fmul(llvm::Value* x, llvm::Value* y) const;

  llvm::Value* intrinsic(llvm::Intrinsic::ID id, llvm::Value* v) const {
    return b.CreateUnaryIntrinsic(id, v);
  }
  llvm::Value* abs(llvm::Value* v) const { return intrinsic(llvm::Intrinsic::fabs, v); }
  llvm::Value* copysign(llvm::Value* magnitude, llvm::Value* sign) const;
  llvm::Value* is_nan(llvm::Value* v) const { return b.CreateFCmpUNO(v, v); }

  /// Calls a C function for each lane.
  llvm::Value* call(const std::string& function, std::span<llvm::Value* const> args) const;
  llvm::Value* call(const std::string& function, llvm::Value* arg) const {
    return call(function, std::span(&arg, 1));
  }
  /// True where any lane is.
  llvm::Value* any(llvm::Value* mask) const;

  /// Rounds a float to what the half type can hold.
  llvm::Value* round_half(llvm::Value* v, DType dtype) const;
  /// Compute value to the bits in memory, and back. A value given to pack must be representable.
  llvm::Value* pack(llvm::Value* v, DType dtype) const;
  llvm::Value* unpack(llvm::Value* v, DType dtype) const;
};

}  // namespace antler::runtime::jit
