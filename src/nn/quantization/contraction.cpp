#include "nn/quantization/contraction.h"

#include <algorithm>

#include "antler/autodiff/gradient_tape.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"

namespace antler {
namespace {

/// x [..., in] times [in, out], both int8. Floating-point products are faster, and exact as long as
/// float32 can represent the sum.
Tensor exact_product(const Tensor& x, const Tensor& matrix) {
  const Tensor left = ops::cast(x, DType::float32);
  const Tensor right = ops::cast(matrix, DType::float32);
  const int64_t terms = matrix.shape()[0];
  if (terms <= kExactTerms) return last_axis_product(left, right);
  Tensor sum;
  for (int64_t from = 0; from < terms; from += kExactTerms) {
    const int64_t to = std::min(from + kExactTerms, terms);
    const Tensor part = ops::cast(
        last_axis_product(ops::slice_axis(left, -1, from, to), ops::slice_axis(right, 0, from, to)),
        DType::int32);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

}  // namespace

Tensor last_axis_product(const Tensor& x, const Tensor& matrix) {
  if (x.dtype() == DType::int8) return exact_product(x, matrix);
  if (x.rank() == 2) return ops::matmul(x, matrix);
  return ops::dot_general(x, matrix, {.lhs_contract = {x.rank() - 1}, .rhs_contract = {0}});
}

Tensor Contraction::times(const Tensor& x, const Tensor& kernel) const {
  return last_axis_product(x, kernel);
}

Tensor Contraction::lora_times(const Tensor& x, const Tensor& a, const Tensor& b) const {
  return last_axis_product(times(x, a), b);
}

Tensor Contraction::gradient(const Tensor& gradient, const Tensor& kernel) const {
  return last_axis_product(gradient, ops::transpose(kernel));
}

Tensor Contraction::quantized_times(const Tensor& x, const QuantizedFactor& factor,
                                    DType dtype) const {
  if (!factor.inputs && !factor.scale.defined()) return times(x, factor.values);
  if (!factor.inputs) {
    return ops::cast(times(x, ops::cast(factor.values, x.dtype())), dtype) / factor.scale;
  }
  return custom_gradient(
      [=, self = shared_from_this()](const Tensors& given) -> Tensors {
        const Quantized q = (*factor.inputs)(given[0], self->summed());
        const Tensor values = ops::cast(q.values, factor.values.dtype());
        const Tensor product = ops::cast(self->times(values, factor.values), dtype);
        const Tensor scale = self->scale_of_product(q.scale);
        return {product / (factor.scale.defined() ? scale * factor.scale : scale)};
      },
      [=, self = shared_from_this()](const Tensors&, const Tensors&, const Tensors& gradients)
          -> Tensors { return {self->gradient(gradients[0], factor.kernel())}; },
      {x})[0];
}

}  // namespace antler
