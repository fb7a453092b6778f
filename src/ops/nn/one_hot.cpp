#include "antler/ops/nn/one_hot.h"

#include "antler/ops/core.h"
#include "antler/ops/numpy/reductions.h"

namespace antler::ops {

Tensor multi_hot(const Tensor& indices, int64_t num_classes, const MultiHotOptions& options) {
  const Tensor hot = one_hot(cast(indices, DType::int32), num_classes,
                             {.axis = options.axis, .dtype = options.dtype});
  return max(hot, {indices.rank() > 1 ? 1 : 0});
}

}  // namespace antler::ops
