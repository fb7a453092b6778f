#include "antler/ops/core.h"

#include "antler/base/error.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/doubles.h"
#include "ops/support.h"

namespace antler::ops {

ArrayLiteral::ArrayLiteral(std::initializer_list<ArrayLiteral> parts)
    : dtype_(parts.size() == 0 ? default_float() : DType::boolean),
      shape_{static_cast<int64_t>(parts.size())} {
  for (const ArrayLiteral& part : parts) {
    const Shape& first = parts.begin()->shape_;
    if (part.shape_ != first) {
      throw ValueError(
          "ops::convert_to_tensor: all rows must have the same shape. Received: {} and {}.", first,
          part.shape_);
    }
    if (is_floating(dtype_) || is_floating(part.dtype_)) {
      dtype_ = default_float();
    } else {
      dtype_ = promote_types(dtype_, false, part.dtype_, false);
    }
    values_.insert(values_.end(), part.values_.begin(), part.values_.end());
  }
  if (parts.size() == 0) return;
  for (const int64_t size : parts.begin()->shape_) shape_.push_back(size);
}

Tensor ArrayLiteral::tensor() const {
  Tensor result = Tensor::empty(dtype_, shape_);
  store_doubles(result, values_);
  return result;
}

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

Tensor empty(const Shape& shape, DTypeArg dtype) { return zeros(shape, dtype); }
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
