#pragma once

#include <cstdint>

#include "compiler/plan.h"

namespace antler::runtime {

/// Bytes of the distinct values that a kernel reads and writes.
int64_t kernel_bytes(const compiler::Plan& plan, const compiler::PlanKernel& kernel);
/// Operations of a matrix product or a convolution (a multiply-add is two), else 0.
int64_t kernel_flops(const compiler::Plan& plan, const compiler::PlanKernel& kernel);

}  // namespace antler::runtime
