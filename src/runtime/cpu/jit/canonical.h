#pragma once

#include "compiler/loop_nest.h"

namespace antler::runtime::jit {

/// The same nest with as few dimensions as possible: drops dimensions of size 1 and merges adjacent
/// dimensions that are contiguous in every access.
compiler::LoopNest canonical(const compiler::LoopNest& nest);

}  // namespace antler::runtime::jit
