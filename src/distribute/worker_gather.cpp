#include "distribute/worker_gather.h"

#include <algorithm>

#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/worker_collectives.h"

namespace antler::distribute {

Tensor padded(const Tensor& x, int64_t axis, int64_t size) {
  const int64_t missing = size - x.dim(static_cast<int>(axis));
  if (missing == 0) return x;
  Shape shape = x.shape();
  shape[static_cast<int>(axis)] = missing;
  return ops::concatenate({x, ops::zeros(shape, x.dtype())}, axis);
}

Tensor gather_workers(const Tensor& x, int64_t axis, const std::vector<int64_t>& sizes) {
  const int64_t largest = *std::max_element(sizes.begin(), sizes.end());
  const Tensor all = ops::worker_all_gather(padded(x, axis, largest));
  Tensors blocks;
  for (size_t w = 0; w < sizes.size(); ++w) {
    if (sizes[w] == 0) continue;
    const auto at = static_cast<int64_t>(w);
    const Tensor block = ops::squeeze(ops::slice_axis(all, 0, at, at + 1), {0});
    blocks.push_back(ops::slice_axis(block, axis, 0, sizes[w]));
  }
  return blocks.empty() ? x : ops::concatenate(blocks, axis);
}

}  // namespace antler::distribute
