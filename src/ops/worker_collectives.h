#pragma once

#include "antler/ir/op_def.h"

namespace antler::ops {

/// worker_all_reduce(x...) {op, workers}: as many results as operands, all of one dtype.
extern const ir::OpDef kWorkerAllReduce;
/// worker_all_gather(x) {workers}
extern const ir::OpDef kWorkerAllGather;

}  // namespace antler::ops
