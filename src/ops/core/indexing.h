#pragma once

#include "antler/core/tensor.h"
#include "antler/ops/core.h"

/// What gather and scatter share. "One axis" means gather/scatter: an index names a slice along an
/// axis. "Coordinates" means gather_nd/scatter_nd: an index is the last dimension of `indices` and
/// names a block by its first coordinates.
namespace antler::ops {

/// x.shape with `axis` replaced by the shape of the indices.
Shape taken_shape(const Shape& x, const Shape& indices, int64_t axis);
/// indices.shape[:-1] + x.shape[k:]. Throws ValueError naming `op` when the coordinates are more
/// than the dimensions of x.
Shape taken_nd_shape(const char* op, const Shape& x, const Shape& indices);
/// Throws TypeError naming `op` unless `indices` are integers.
void require_integers(const char* op, DType indices);

/// Negative indices count from the end: index + size where index < 0.
Tensor wrap_negative(const Tensor& indices, int64_t size);
/// The same for coordinates into an array of shape `x`.
Tensor wrap_negative_nd(const Tensor& indices, const Shape& x);
/// The sizes that coordinates must stay below, [k], in the dtype of `indices`.
Tensor coordinate_limits(const Tensor& indices, const Shape& x);

const char* scatter_mode_name(ScatterMode mode);

}  // namespace antler::ops
