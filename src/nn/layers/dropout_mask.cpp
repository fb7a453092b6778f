#include "nn/layers/dropout_mask.h"

#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/drop.h"

namespace antler {

Tensor dropout_mask(const SeedGenerator& seeds, const Shape& shape, double rate, DType dtype) {
  if (rate >= 1) return ops::zeros(shape, dtype);
  return ops::where(random_keep(seeds, shape, rate), Tensor::full(dtype, {}, 1 / (1 - rate)),
                    Tensor::full(dtype, {}, 0));
}

}  // namespace antler
