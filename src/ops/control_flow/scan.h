#pragma once

#include "antler/ir/op_def.h"

namespace antler::ops {

/// The gradient rule of scan: a scan in the opposite direction.
Tensors vjp_scan(const ir::VjpArgs& args);

}  // namespace antler::ops
