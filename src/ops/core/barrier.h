#pragma once

#include "antler/core/tensor.h"
#include "antler/ir/op_def.h"

namespace antler::ops {

/// optimization_barrier {values}: passes on its first `values` operands; see
/// optimization_barrier().
extern const ir::OpDef kOptimizationBarrier;

/// Returns `values`, but passes treat the results as different values. What is computed from the
/// results is not merged with what was computed from `values`, and is not computed before all of
/// `after` are available. StableHLO and JAX use the same name.
Tensors optimization_barrier(const Tensors& values, const Tensors& after);

}  // namespace antler::ops
