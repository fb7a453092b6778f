#pragma once

#include "antler/ir/op_def.h"

namespace antler::ops {

/// The gradient rule of scan: a scan the other way round.
Tensors vjp_scan(const ir::VjpArgs& args);

}  // namespace antler::ops
