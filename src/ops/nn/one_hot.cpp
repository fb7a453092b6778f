#include "antler/ops/nn/one_hot.h"

#include "antler/ops/core.h"
#include "antler/ops/numpy/reductions.h"

namespace antler::ops {

Tensor multi_hot(const Tensor& indices, int64_t classes, DType dtype) {
  const Tensor hot = one_hot(cast(indices, DType::int32), classes, -1, dtype);
  return max(hot, {indices.rank() > 1 ? 1 : 0});
}

}  // namespace antler::ops
