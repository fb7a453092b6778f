#include "ops/numpy/numpy.h"

#include <string>

#include "antler/base/error.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/support.h"

namespace antler::ops {

const Shape& known_shape(const char* function, const Tensor& x) {
  require_defined(function, x);
  if (x.shape().is_known()) return x.shape();
  throw ValueError(std::string("ops::") + function +
                   ": all sizes of `x` must be known. Received: x.shape=" + x.shape().str() +
                   ". Put the computation into the `call` of a layer instead.");
}

Lane lane_along(const char* function, const Tensor& x, std::optional<int64_t> axis) {
  require_defined(function, x);
  const Tensor strong = to_dtype(x, x.dtype());
  if (!axis) return {reshape(strong, {-1}), 0};
  return {strong, normalize_axis_of(function, *axis, x.rank())};
}

}  // namespace antler::ops
