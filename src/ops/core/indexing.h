#pragma once

#include "antler/core/tensor.h"
#include "antler/ops/core.h"

/// Helpers of gather and scatter, whose indices name slices along an axis, and of gather_nd and
/// scatter_nd, whose indices [..., k] name blocks by their first k coordinates.
namespace antler::ops {

/// The shape of x with `axis` replaced by the shape of the indices.
Shape taken_shape(const Shape& x, const Shape& indices, int64_t axis);
/// indices.shape[:-1] + x.shape[k:]. Throws ValueError if k exceeds the rank of x.
Shape taken_nd_shape(const char* op, const Shape& x, const Shape& indices);
void require_integers(const char* op, DType indices);

/// Adds `size` to negative indices, which count from the end.
Tensor wrap_negative(const Tensor& indices, int64_t size);
/// The same for coordinates into an array of shape `x`.
Tensor wrap_negative_nd(const Tensor& indices, const Shape& x);
/// The exclusive upper limits of the coordinates, [k], in the dtype of `indices`.
Tensor coordinate_limits(const Tensor& indices, const Shape& x);

const char* scatter_mode_name(ScatterMode mode);

}  // namespace antler::ops
