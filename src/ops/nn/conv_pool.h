#pragma once

#include "antler/core/shape.h"
#include "antler/ir/attrs.h"
#include "antler/ir/op_def.h"

/// What the compiler makes of a convolution, a bias, a relu and a max pool that nobody else looks
/// into, so that the image between them never leaves the cache.
namespace antler::ops {

/// x, w, bias [channels] -> pooled, index: pooled = max over windows of relu(conv(x, w) + bias),
/// and which element of the window it is (uint8, in row-major order, the first of equal ones).
/// Attributes: those of conv, and "pool_window" and "pool_strides" over all dimensions; windows do
/// not overlap and there is no padding.
extern const ir::OpDef kConvReluPool;

/// index, dy -> dx: dy goes to the element of each window that the index names; others are zero.
/// Attributes: "input_shape", "pool_window", "pool_strides".
extern const ir::OpDef kPoolScatter;

/// x, index, dy -> dw: the filter's gradient of a conv whose image's gradient is
/// pool_scatter(index, dy), which nobody else asks. Attributes: those of conv_filter_grad,
/// "pool_window" and "pool_strides".
extern const ir::OpDef kConvPoolFilterGrad;

/// The attributes of the reduce_window that is inside.
ir::Attrs pool_attrs(const ir::Attrs& attrs);

}  // namespace antler::ops
