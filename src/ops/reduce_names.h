#pragma once

#include <string>

#include "antler/ops/collectives.h"

namespace antler::ops {

/// The value of the attribute "op" of collectives.
std::string reduce_name(ReduceOp op);
/// The inverse of reduce_name(). Throws ValueError for another name.
ReduceOp reduce_op(const std::string& name);

}  // namespace antler::ops
