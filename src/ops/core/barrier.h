#pragma once

#include "antler/core/tensor.h"
#include "antler/ir/op_def.h"

namespace antler::ops {

/// {values}: passes on so many of its operands, at least one; see optimization_barrier().
extern const ir::OpDef kOptimizationBarrier;

/// `values` themselves, but no pass sees that: what is computed from them again is not merged with
/// what was computed from them before, nor computed before all of `after` are there. The name is
/// that of StableHLO and JAX.
Tensors optimization_barrier(const Tensors& values, const Tensors& after);

}  // namespace antler::ops
