#pragma once

#include "compiler/loop_nest.h"
#include "runtime/cpu/jit/gen.h"

/// Accumulators of reductions.
namespace antler::runtime::jit {

/// Combines two scalars or vectors of `dtype`, in its compute type.
llvm::Value* fold(const Gen& g, compiler::Fold fold, DType dtype, llvm::Value* x, llvm::Value* y);
/// The identity element.
llvm::Value* fold_identity(const Gen& g, compiler::Fold fold, DType dtype, int lanes);
/// Combines all lanes of a vector.
llvm::Value* fold_lanes(const Gen& g, compiler::Fold fold, DType dtype, llvm::Value* v);

}  // namespace antler::runtime::jit
