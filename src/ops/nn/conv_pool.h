#pragma once

#include "antler/core/shape.h"
#include "antler/ir/attrs.h"
#include "antler/ir/op_def.h"

/// Ops that the compiler creates from a convolution, bias, relu and max pool if nothing else uses
/// the intermediate results. The image between them never leaves the cache.
namespace antler::ops {

/// x, w, bias [channels] -> pooled, index. pooled is the maximum of relu(conv(x, w) + bias) over
/// each window, and index its first position in the window (uint8, row-major). Attributes: those of
/// conv, and "pool_window" and "pool_strides" over all dimensions. Windows do not overlap or have
/// padding.
extern const ir::OpDef kConvReluPool;

/// index, dy -> dx: writes dy to the element of each window given by index; the others are zero.
/// Attributes: "input_shape", "pool_window", "pool_strides".
extern const ir::OpDef kPoolScatter;

/// x, index, dy -> dw: the filter gradient of a conv whose output gradient is pool_scatter(index,
/// dy) and is not used otherwise. Attributes: those of conv_filter_grad, "pool_window" and
/// "pool_strides".
extern const ir::OpDef kConvPoolFilterGrad;

/// The attributes of the reduce_window that the op contains.
ir::Attrs pool_attrs(const ir::Attrs& attrs);

}  // namespace antler::ops
