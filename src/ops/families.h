#pragma once

#include <span>

#include "antler/ir/op_def.h"

/// Every file that defines ops exports a span of them, which op_list.cpp joins.
namespace antler::ops {

using OpSpan = std::span<const ir::OpDef* const>;

// core/
OpSpan convert_ops();
OpSpan barrier_ops();
// numpy/
OpSpan arithmetic_ops();
OpSpan division_ops();
OpSpan extremum_ops();
OpSpan exponential_ops();
OpSpan trigonometric_ops();
OpSpan special_ops();
OpSpan rounding_ops();
OpSpan comparison_ops();
OpSpan logic_ops();
OpSpan select_ops();
OpSpan reduction_ops();
OpSpan arg_extremum_ops();
OpSpan scan_ops();
OpSpan sort_ops();
OpSpan dot_ops();
// movement_ops.cpp
OpSpan movement_ops();
OpSpan indexing_ops();
// nn/
OpSpan nn_ops();
OpSpan conv_ops();
OpSpan window_ops();
OpSpan conv_pool_ops();
// linalg/, fft/, random/, control_flow/
OpSpan matrix_ops();
OpSpan fourier_ops();
OpSpan random_ops();
OpSpan control_ops();
// hash.cpp, host_map.cpp, worker_collectives.cpp
OpSpan hash_ops();
OpSpan host_ops();
OpSpan worker_ops();

/// broadcast {shape, dims}: the only op that support.h uses; defined in numpy/manipulation.
extern const ir::OpDef kBroadcast;

}  // namespace antler::ops
