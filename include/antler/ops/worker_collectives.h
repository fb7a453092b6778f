#pragma once

#include "antler/core/tensor.h"
#include "antler/ops/collectives.h"

/// Collective ops between the processes of communicator(). They run as part of a program, in the
/// order in which they were traced, so every process must trace the same ones in the same order.
/// They throw what Communicator throws, and RuntimeError if there is no communicator or if the size
/// of its group has changed since the program was traced.
namespace antler::ops {

/// Combines the values of all workers. The arrays of all workers must have the same shapes. Returns
/// `xs` without a communicator, or in a group of one. Arrays of the same dtype are sent in one
/// message.
Tensors worker_all_reduce(const Tensors& xs, ReduceOp op = ReduceOp::sum);
Tensor worker_all_reduce(const Tensor& x, ReduceOp op = ReduceOp::sum);

/// Stacks the values of all workers along a new axis 0, in the order of their ranks. All workers
/// must have arrays of the same shape. Not differentiable.
Tensor worker_all_gather(const Tensor& x);

}  // namespace antler::ops
