#include "antler/core/array_literal.h"

#include "antler/base/error.h"
#include "antler/core/tensor.h"
#include "core/doubles.h"

namespace antler {

ArrayLiteral::ArrayLiteral(std::initializer_list<ArrayLiteral> parts)
    : dtype_(parts.size() == 0 ? default_float() : DType::boolean),
      shape_{static_cast<int64_t>(parts.size())} {
  for (const ArrayLiteral& part : parts) {
    const Shape& first = parts.begin()->shape_;
    if (part.shape_ != first) {
      throw ValueError("All rows of an array must have the same shape. Received: {} and {}.", first,
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

Tensor ArrayLiteral::tensor() const { return tensor(dtype_); }

Tensor ArrayLiteral::tensor(DType dtype) const {
  Tensor result = Tensor::empty(dtype, shape_);
  store_doubles(result, values_);
  return result;
}

Tensor::Tensor(std::initializer_list<ArrayLiteral> parts) : Tensor(ArrayLiteral(parts).tensor()) {}

Tensor Tensor::converted(std::initializer_list<ArrayLiteral> parts, DType dtype) {
  return ArrayLiteral(parts).tensor(dtype);
}

}  // namespace antler
