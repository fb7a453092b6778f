#pragma once

#include "runtime/cpu/jit/gen.h"

/// Elementary functions as straight-line vector code for float and double, accurate to about 2 ulp.
/// Functions without vector code here call the C library lane by lane.
namespace antler::runtime::jit::math {

llvm::Value* exp(const Gen& g, llvm::Value* x);
llvm::Value* expm1(const Gen& g, llvm::Value* x);
llvm::Value* log(const Gen& g, llvm::Value* x);
llvm::Value* log1p(const Gen& g, llvm::Value* x);
llvm::Value* sigmoid(const Gen& g, llvm::Value* x);
llvm::Value* tanh(const Gen& g, llvm::Value* x);
llvm::Value* sin(const Gen& g, llvm::Value* x);
llvm::Value* cos(const Gen& g, llvm::Value* x);
llvm::Value* erf(const Gen& g, llvm::Value* x);
llvm::Value* erf_inv(const Gen& g, llvm::Value* x);
llvm::Value* pow(const Gen& g, llvm::Value* x, llvm::Value* y);

/// Calls the C function `name` (double) or `name`f (float) lane by lane.
llvm::Value* libm(const Gen& g, const std::string& name, llvm::Value* x);
llvm::Value* libm(const Gen& g, const std::string& name, llvm::Value* x, llvm::Value* y);

}  // namespace antler::runtime::jit::math
