#pragma once

#include <span>
#include <string_view>

#include "runtime/cpu/jit/gen.h"

namespace antler::runtime::jit {

/// One elementwise op to be emitted: arguments in their compute type, scalars or vectors of one
/// length.
struct OpCall {
  const Gen& g;
  DType dtype;      ///< of the result
  DType arg_dtype;  ///< of the first argument (of the second for select)
  std::span<llvm::Value* const> args;
};

/// How an op becomes instructions.
struct OpRule {
  const char* name;
  /// Cycles per vector of floats, for the choice of loops and threads.
  double cycles;
  /// The result is a value of the half types whenever the arguments are, so that it needs no
  /// rounding.
  bool exact;
  llvm::Value* (*emit)(const OpCall&);
};

/// The rule of an op's name; null when there is none.
const OpRule* find_rule(std::string_view name);

/// Maximum or minimum where NaN wins, of floats, integers or booleans of `dtype`.
llvm::Value* emit_extremum(const Gen& g, DType dtype, bool maximum, llvm::Value* x, llvm::Value* y);

}  // namespace antler::runtime::jit
