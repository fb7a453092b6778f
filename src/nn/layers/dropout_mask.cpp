#include "nn/layers/dropout_mask.h"

#include <algorithm>
#include <cmath>

#include "antler/ops/elementwise.h"
#include "antler/ops/random.h"
#include "antler/ops/shape.h"

namespace antler {

Tensor dropout_mask(const SeedGenerator& seeds, const Shape& shape, double rate, DType dtype) {
  if (rate >= 1) return ops::zeros(shape, dtype);
  // One comparison of raw bits per element: of 2^32 patterns, rate * 2^32 mean "drop".
  const auto threshold = static_cast<uint32_t>(std::min(std::ldexp(rate, 32), 4294967295.0));
  const Tensor bits = ops::random_bits(seeds.next(), shape);
  const Tensor keep = ops::greater_equal(bits, Tensor::of<uint32_t>({threshold}, {}));
  return ops::where(keep, Tensor::full(dtype, {}, 1 / (1 - rate)), Tensor::full(dtype, {}, 0));
}

}  // namespace antler
