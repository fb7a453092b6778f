#include "nn/quantization/calibrated_kernel.h"

#include "antler/base/error.h"
#include "antler/nn/quantizers.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/shape.h"
#include "nn/quantization/int4_matrix.h"

namespace antler {

void CalibratedKernel::add(const std::function<Variable(const WeightOptions&)>& add_weight,
                           const QuantizationMode& mode) {
  if (inputs == 0) {
    throw ValueError(std::string(mode.name == "gptq" ? "GPTQ" : "AWQ") +
                     " quantization only supports 2D or 3D kernels.");
  }
  packs_ = mode.weight_bits == 4;
  const auto made = [&](const char* name, const Shape& shape, const char* initializer,
                        std::optional<DType> dtype) {
    return add_weight({.name = name,
                       .shape = shape,
                       .initializer = initializer,
                       .dtype = dtype,
                       .trainable = false});
  };
  const Shape groups{outputs, group_count(inputs, mode.group_size)};
  values = made("kernel", {packs_ ? (outputs + 1) / 2 : outputs, inputs}, "zeros", DType::uint8);
  scale = made("kernel_scale", groups, "ones", {});
  zero_point = made(zero_name, groups, "zeros", DType::uint8);
  if (mode.name == "awq") input_scale = made("awq_scales", {inputs}, "ones", {});
  group_index = made("g_idx", {inputs}, "zeros", DType::float32);
}

void CalibratedKernel::store(const CalibratedMatrix& matrix) {
  values.store(packs_ ? quantizers::pack_int4(matrix.values, 0, DType::uint8) : matrix.values);
  scale.store(ops::cast(matrix.scale, scale.dtype()));
  zero_point.store(matrix.zero_point);
  if (input_scale.defined()) input_scale.store(ops::cast(matrix.input_scale, input_scale.dtype()));
  group_index.store(matrix.group_index);
}

Tensor CalibratedKernel::value(DType dtype) const {
  const Tensor levels =
      packs_ ? quantizers::unpack_int4(values.value(), outputs, 0, DType::uint8) : values.value();
  Tensor matrix = ops::transpose(dequantize_int4(
      levels, ops::cast(scale.value(), dtype), zero_point.value(), group_index.value(), 1, dtype));
  if (!input_scale.defined()) return matrix;
  return matrix / ops::expand_dims(ops::cast(input_scale.value(), dtype), -1);
}

Variables CalibratedKernel::variables() const {
  Variables own;
  for (const Variable& v : {values, scale, zero_point, input_scale, group_index}) {
    if (v.defined()) own.push_back(v);
  }
  return own;
}

}  // namespace antler
