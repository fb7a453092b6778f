#pragma once

#include <functional>
#include <vector>

#include "runtime/cpu/jit/gen.h"

namespace antler::runtime::jit {

using Values = std::vector<llvm::Value*>;

/// for (i = first; i < last; i += step) carried = body(i, carried). `nonempty`: there is at least
/// one iteration. Returns the final carried values.
Values emit_loop(const Gen& g, llvm::Value* first, llvm::Value* last, int64_t step, bool nonempty,
                 const Values& carried,
                 const std::function<Values(llvm::Value*, const Values&)>& body);

void emit_if(const Gen& g, llvm::Value* condition, const std::function<void()>& then,
             const std::function<void()>& otherwise);

}  // namespace antler::runtime::jit
