#pragma once

#include "antler/ir/op_def.h"

/// The neural-network composites that are ops of their own: a kernel may claim them, or their
/// gradient is simpler than that of their plain version.
namespace antler::ops {

extern const ir::OpDef kSoftplus;
extern const ir::OpDef kSoftmax;
extern const ir::OpDef kLogSoftmax;

}  // namespace antler::ops
