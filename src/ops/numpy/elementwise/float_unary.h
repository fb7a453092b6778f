#pragma once

#include "antler/ir/emit.h"
#include "ops/support.h"

namespace antler::ops {

/// Applies `op` to x, with integers converted to floats.
inline Tensor float_unary(const ir::OpDef& op, const Tensor& x) {
  return ir::emit_one(op, {to_float(op.name, x)});
}

}  // namespace antler::ops
