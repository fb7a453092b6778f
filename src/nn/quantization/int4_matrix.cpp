#include "nn/quantization/int4_matrix.h"

#include "antler/base/error.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/shape.h"

namespace antler {

Shape Int4Form::packed_shape() const {
  Shape result = shape;
  result[packed] = (shape[packed] + 1) / 2;
  return result;
}

Shape Int4Form::scale_shape() const {
  if (!block_size) return {shape[1 - contracted]};
  Shape result = shape;
  result[contracted] = (shape[contracted] + *block_size - 1) / *block_size;
  return result;
}

Int4Matrix quantize_int4(const Tensor& matrix, const Int4Form& form,
                         const std::optional<AbsMaxQuantizer>& quantizer) {
  Tensor values;
  Int4Matrix result;
  if (!form.block_size) {
    const AbsMaxQuantizer usual{.axis = form.contracted, .value_range = {-8, 7}};
    Quantized quantized = quantizer.value_or(usual)(matrix);
    if (quantized.scale.size() != form.shape[1 - form.contracted]) {
      throw ValueError("The weight_quantizer of this layer must have axis=" +
                       std::to_string(form.contracted) + ".");
    }
    values = quantized.values;
    result.scale = ops::reshape(quantized.scale, form.scale_shape());
  } else {
    const auto turned = [&](const Tensor& t) {
      return form.contracted == 0 ? t : ops::transpose(t);
    };
    const auto grouped = quantizers::abs_max_quantize_grouped_with_zero_point(
        turned(matrix), *form.block_size, {-8, 7}, DType::int8, 1e-7, true);
    values = turned(grouped.values);
    result.scale = turned(grouped.scale);
    result.zero_point = turned(grouped.zero_point);
  }
  result.packed = quantizers::pack_int4(values, form.packed);
  return result;
}

Tensor unpack(const Tensor& packed, const Int4Form& form) {
  return quantizers::unpack_int4(packed, form.shape[form.packed],
                                 form.packed == 1 ? -1 : form.packed);
}

Tensor group_index(const Int4Form& form) {
  const Tensor index = ops::arange(0, form.shape[form.contracted]);
  return ops::cast(ops::floor_divide(index, Tensor(*form.block_size)), DType::float32);
}

Tensor dequantize_int4(const Tensor& values, const Tensor& scale, const Tensor& zero_point,
                       const Tensor& groups, int contracted, DType dtype) {
  if (!groups.defined()) {
    return ops::cast(values, dtype) / ops::expand_dims(scale, contracted == 0 ? 0 : -1);
  }
  const Tensor index = ops::cast(groups, DType::int32);
  const int axis = contracted == 0 ? 0 : -1;
  const Tensor factor = ops::take(scale, index, axis);
  const Tensor zero = ops::cast(ops::take(zero_point, index, axis), factor.dtype());
  return ops::cast((ops::cast(values, factor.dtype()) - zero) * factor, dtype);
}

}  // namespace antler
