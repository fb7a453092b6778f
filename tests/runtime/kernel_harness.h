#pragma once

#include <string>

#include "antler/core/tensor.h"
#include "antler/ir/attrs.h"

namespace antler::test {

/// Runs every library kernel of an op (the reference loop excepted) on `inputs` and compares with
/// the reference loop: results within the precision of the dtype, the same bits for one and for
/// three threads (unless it refuses to promise that), nothing written outside of the outputs and
/// the scratch memory. Returns how many kernels accepted.
int check_kernels(const std::string& op, const Tensors& inputs, const ir::Attrs& attrs,
                  double tolerance = -1);

}  // namespace antler::test
