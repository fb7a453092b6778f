#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ir/attrs.h"

/// Helpers of the op functions. Binary primitives need operands of the same dtype and shape;
/// functions convert and broadcast before they emit them.
namespace antler::ops {

/// Throws ValueError if `x` is undefined.
void require_defined(const char* op, const Tensor& x);

/// The promoted dtype of all `xs`, with weak scalars taken into account.
DType result_dtype(const std::vector<Tensor>& xs);

/// `x` as a strong tensor of `dtype`: `x` itself, a constant for a weak scalar, or a `convert`.
Tensor to_dtype(const Tensor& x, DType dtype);
/// Converts integers and booleans to float32, for functions that exist for floats only.
Tensor to_float(const char* op, const Tensor& x);

/// A strong scalar constant.
Tensor scalar(double value, DType dtype);
/// An array filled with `value`: the `broadcast` of a scalar.
Tensor filled(double value, DType dtype, const Shape& shape);
/// filled() with the dtype and shape of `x`.
Tensor filled_like(double value, const Tensor& x);

/// The shape of `x`. Throws ValueError if a dimension is unknown.
const Shape& known_shape(const char* function, const Tensor& x);

/// NumPy's broadcast of two shapes; unknown dimensions match anything. Throws ValueError.
Shape broadcast_shape(const char* op, const Shape& a, const Shape& b);
/// Dimension i of `x` becomes dimension dims[i] of the result. `x` itself if nothing changes.
Tensor broadcast_in_dim(const Tensor& x, const Shape& shape, const ir::Ints& dims);
/// NumPy's broadcast of `x` to `shape`, aligned at the last dimension. `x` itself if nothing
/// changes.
Tensor expand_to(const Tensor& x, const Shape& shape);
/// expand_to() for an operand of an element-wise op. If the shape has unknown dimensions, because
/// an operand is a placeholder, the layer graph broadcasts at each call instead.
Tensor expand_operand(const Tensor& x, const Shape& shape);

/// Two operands of the same dtype and shape.
struct Operands {
  Tensor x;
  Tensor y;
};
/// Promotes dtypes and broadcasts. Throws ValueError for incompatible shapes.
Operands promote(const char* op, const Tensor& x, const Tensor& y);
/// Converts both to `dtype` and broadcasts.
Operands promote_to(const char* op, const Tensor& x, const Tensor& y, DType dtype);

/// Axes in [0, rank), sorted; all axes if `axes` is empty. Throws ValueError for axes out of range
/// and for duplicates.
ir::Ints normalize_axes(const char* op, const std::vector<int64_t>& axes, int rank);
/// An axis in [0, rank). Throws ValueError.
int normalize_axis_of(const char* op, int64_t axis, int rank);
/// The dimensions in [0, rank) that are not in `axes`, which is sorted.
ir::Ints other_axes(const ir::Ints& axes, int rank);

/// "float32 (2, 3)".
std::string spec_str(const TensorSpec& spec);

}  // namespace antler::ops
