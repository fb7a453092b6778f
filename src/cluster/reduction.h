#pragma once

#include <cstddef>
#include <span>

#include "antler/core/dtype.h"
#include "antler/ops/collectives.h"

namespace antler::cluster {

/// Combines `count` elements of `a` and `b`; `result` may be either. The signature is Gloo's.
using Reduction = void (*)(void* result, const void* a, const void* b, size_t count);

/// The function that combines two arrays. A mean is a sum until finish_mean(). Half-precision types
/// are combined in float and rounded. Throws ValueError for booleans and for the mean of integers.
Reduction reduction(DType dtype, ops::ReduceOp op);
/// Combines `count` elements of all `operands` in order, one operand per process, and finishes
/// means. Sums of half-precision types are accumulated in float and rounded once. `result` may be
/// one of the first two operands.
void combine_all(void* result, std::span<const void* const> operands, size_t count, DType dtype,
                 ops::ReduceOp op);
/// Divides sums of a floating-point dtype by the number of processes.
void finish_mean(void* data, size_t count, DType dtype, int64_t processes);

}  // namespace antler::cluster
