#pragma once

#include "antler/ir/op_def.h"

/// Composites that are ops, because a kernel may implement them or because their gradient is
/// simpler than that of their decomposition.
namespace antler::ops {

extern const ir::OpDef kSoftplus;
extern const ir::OpDef kSoftmax;
extern const ir::OpDef kLogSoftmax;

}  // namespace antler::ops
