#pragma once

#include <string>

#include "antler/core/tensor.h"
#include "antler/ir/attrs.h"

namespace antler::test {

/// Runs every library kernel of an op on `inputs` and compares it with the reference loop: results
/// within the precision of the dtype, the same bits for one and three threads (unless the kernel
/// refuses `deterministic`), nothing written outside of the outputs and the scratch memory. Returns
/// the number of kernels that accepted.
int check_kernels(const std::string& op, const Tensors& inputs, const ir::Attrs& attrs,
                  double tolerance = -1);

}  // namespace antler::test
