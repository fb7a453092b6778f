#include "ops/numpy/reductions/lanes.h"

#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/support.h"

namespace antler::ops {

Tensor scatter_along_last(const Tensor& updates, const Tensor& indices, int64_t length) {
  const Lanes lanes(updates.shape(), updates.rank() - 1);
  const Shape flat{lanes.outer, lanes.length};
  const Tensor places = stack({iota(flat, 0), reshape(indices, flat)}, 2);
  const Tensor sums = scatter_nd(filled(0, updates.dtype(), {lanes.outer, length}), places,
                                 reshape(updates, flat), ScatterMode::add);
  std::vector<int64_t> dims = updates.shape().dims();
  dims.back() = length;
  return reshape(sums, Shape(std::move(dims)));
}

}  // namespace antler::ops
