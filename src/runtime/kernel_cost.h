#pragma once

#include <cstdint>

#include "compiler/plan.h"

namespace antler::runtime {

/// Bytes of the distinct values that a kernel reads and writes.
int64_t kernel_bytes(const compiler::Plan& plan, const compiler::PlanKernel& kernel);
/// Floating point operations of a matrix product or convolution (a multiply-add counts as two); 0
/// for other kernels.
int64_t kernel_flops(const compiler::Plan& plan, const compiler::PlanKernel& kernel);

}  // namespace antler::runtime
