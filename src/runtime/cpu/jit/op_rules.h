#pragma once

#include <span>
#include <string_view>

#include "runtime/cpu/jit/gen.h"

namespace antler::runtime::jit {

/// An element-wise op to emit. Arguments are in their compute type, all scalars or all vectors of
/// the same length.
struct OpCall {
  const Gen& g;
  DType dtype;      ///< of the result
  DType arg_dtype;  ///< of the first argument (of the second for select)
  std::span<llvm::Value* const> args;
};

/// How to emit an op.
struct OpRule {
  const char* name;
  /// Estimated cycles per vector of floats, for the choice of loops and threads.
  double cycles;
  /// Half-precision arguments give a result that is exact in the half type and needs no rounding.
  bool exact;
  llvm::Value* (*emit)(const OpCall&);
};

/// Null if there is no rule for the op.
const OpRule* find_rule(std::string_view name);

/// Maximum or minimum of floats, integers or booleans of `dtype`. NaN propagates.
llvm::Value* emit_extremum(const Gen& g, DType dtype, bool maximum, llvm::Value* x, llvm::Value* y);

}  // namespace antler::runtime::jit
