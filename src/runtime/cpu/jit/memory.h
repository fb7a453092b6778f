#pragma once

#include "runtime/cpu/jit/gen.h"

/// Loads and stores of vectors with any stride.
namespace antler::runtime::jit::memory {

/// Loads pointer[0], pointer[stride], ... to a vector of `lanes` in the compute type. Lanes from
/// `active` on are zero; their memory is not read. `stride` is not 0: load a scalar and splat it
/// instead.
llvm::Value* load(const Gen& g, DType dtype, llvm::Value* pointer, int64_t stride, int lanes,
                  int active);
llvm::Value* load_scalar(const Gen& g, DType dtype, llvm::Value* pointer);

/// Stores the first `active` lanes.
void store(const Gen& g, DType dtype, llvm::Value* value, llvm::Value* pointer, int64_t stride,
           int active);
void store_scalar(const Gen& g, DType dtype, llvm::Value* value, llvm::Value* pointer);

/// pointer + offset elements.
llvm::Value* advance(const Gen& g, DType dtype, llvm::Value* pointer, llvm::Value* offset);

/// A constant mask whose first `active` of `lanes` lanes are set.
llvm::Constant* lane_mask(const Gen& g, int lanes, int active);

}  // namespace antler::runtime::jit::memory
