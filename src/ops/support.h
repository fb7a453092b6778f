#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ir/attrs.h"

/// What the public functions of the op set share: they bring operands to one dtype and shape before
/// they emit a primitive, whose operands must be equal in both.
namespace antler::ops {

/// Throws ValueError naming `op` when `x` is undefined.
void require_defined(const char* op, const Tensor& x);

/// The dtype of an operation on all `xs`, weak scalars considered.
DType result_dtype(const std::vector<Tensor>& xs);

/// `x` as a strong tensor of `dtype`: itself where it is one; a weak scalar becomes a constant now;
/// else a `convert`.
Tensor to_dtype(const Tensor& x, DType dtype);
/// A float tensor: integers and booleans become float32. For functions that exist for floats only.
Tensor to_float(const char* op, const Tensor& x);

/// A strong scalar value of `dtype`.
Tensor scalar(double value, DType dtype);
/// An array of one value, as the `broadcast` of a scalar.
Tensor filled(double value, DType dtype, const Shape& shape);
/// filled() with the dtype and shape of `x`.
Tensor filled_like(double value, const Tensor& x);

/// NumPy's broadcast of two shapes; unknown dimensions fit anything. Throws ValueError naming `op`.
Shape broadcast_shape(const char* op, const Shape& a, const Shape& b);
/// Dimension i of `x` becomes dimension dims[i] of the result; `x` itself where nothing changes.
Tensor broadcast_in_dim(const Tensor& x, const Shape& shape, const ir::Ints& dims);
/// NumPy's broadcast of `x` to `shape` (aligned at the last dimension); `x` itself where it has it
/// already.
Tensor expand_to(const Tensor& x, const Shape& shape);
/// expand_to() for an operand of an element-wise op. A shape with unknown dimensions (a placeholder
/// is among the operands) cannot be broadcast to now: the layer graph does it at each call.
Tensor expand_operand(const Tensor& x, const Shape& shape);
/// The sum of `x` that undoes expand_to(): the gradient of a broadcast from `shape`.
Tensor sum_to_shape(const Tensor& x, const Shape& shape);

/// Two operands of one dtype and shape.
struct Operands {
  Tensor x;
  Tensor y;
};
/// Promotes dtypes and broadcasts. Throws ValueError naming `op` where the shapes do not fit.
Operands promote(const char* op, const Tensor& x, const Tensor& y);
/// Broadcasts to one shape after conversion to `dtype`.
Operands promote_to(const char* op, const Tensor& x, const Tensor& y, DType dtype);

/// Axes in [0, rank), sorted; all of them when `axes` is empty. Throws ValueError naming `op` for
/// axes that are out of range or given twice.
ir::Ints normalize_axes(const char* op, const std::vector<int64_t>& axes, int rank);
/// One axis in [0, rank). Throws ValueError naming `op`.
int normalize_axis_of(const char* op, int64_t axis, int rank);
/// The dimensions of [0, rank) that are not in the sorted list `axes`.
ir::Ints other_axes(const ir::Ints& axes, int rank);

/// "float32 (2, 3)".
std::string spec_str(const TensorSpec& spec);

}  // namespace antler::ops
