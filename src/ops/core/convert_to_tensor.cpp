#include "antler/ops/core.h"

#include "antler/base/error.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/support.h"

namespace antler::ops {

Tensor to_tensor(const Tensor& x, std::optional<DTypeArg> dtype) {
  require_defined("convert_to_tensor", x);
  return to_dtype(x, dtype.value_or(x.dtype()));
}

Tensor convert_to_tensor(const ArrayLiteral& values, std::optional<DTypeArg> dtype) {
  return to_tensor(values.tensor(), dtype);
}

Tensor stack_to_tensor(const std::vector<Tensor>& parts, std::optional<DTypeArg> dtype) {
  return to_tensor(stack(parts), dtype);
}

Tensor empty(const Shape& shape, const CreationOptions& options) { return zeros(shape, options); }
Tensor empty_like(const Tensor& x, std::optional<DTypeArg> dtype) {
  require_defined("empty_like", x);
  return zeros(x.shape(), dtype.value_or(x.dtype()));
}

int64_t size(const Tensor& x) {
  require_defined("size", x);
  if (!x.shape().is_known()) {
    throw ValueError("ops::size: the number of elements is not known. Received: x.shape={}",
                     x.shape());
  }
  return x.size();
}

}  // namespace antler::ops
