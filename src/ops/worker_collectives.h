#pragma once

#include "antler/ir/op_def.h"

namespace antler::ops {

/// worker_all_reduce(x...) {op, workers}: as many results as operands, all of one dtype. For
/// gradients there is also the attribute pack: the size of a bucket in bytes, 0 for automatic, -1
/// for no limit.
extern const ir::OpDef kWorkerAllReduce;
/// The two halves of a worker_all_reduce. The compiler emits them so that a program can compute in
/// between.
/// worker_all_reduce_start(x..., before...) {op, workers, arrays}: returns the number of the
/// all-reduce, an int64. `arrays` is the number of arrays; `before` are the numbers of the
/// all-reduces that must start first.
/// worker_all_reduce_finish(number, before...) {workers, dtype, shapes}: returns the results.
/// `shapes` has the rank and the dimensions of each.
extern const ir::OpDef kWorkerAllReduceStart;
extern const ir::OpDef kWorkerAllReduceFinish;
/// worker_all_gather(x) {workers}
extern const ir::OpDef kWorkerAllGather;

}  // namespace antler::ops
