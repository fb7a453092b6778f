#pragma once

#include <cstdint>
#include <vector>

#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// Concatenates the values of all replicas of this process along `axis`, without communication.
Nest gather_here(const PerReplica& values, int64_t axis = 0);

/// Concatenates the arrays of all workers along `axis`, worker by worker. `sizes` are their sizes
/// along it, which may differ. Every worker gets the result.
Tensor gather_workers(const Tensor& x, int64_t axis, const std::vector<int64_t>& sizes);

/// `x` followed by zeros, so that it has `size` entries along `axis`.
Tensor padded(const Tensor& x, int64_t axis, int64_t size);

}  // namespace antler::distribute
