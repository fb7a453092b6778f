#pragma once

#include <cstdint>
#include <optional>

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

/// How gradients are sent between workers; must be the same in all of them.
struct GradientMessages {
  /// Size of the buckets of gradients, which are sent while later gradients are computed. A
  /// gradient is never divided. 0: several buckets if the gradients of a step have 1 MB or more.
  /// Not given: one bucket.
  std::optional<int64_t> bytes_per_pack = {};
  /// Dtype in which float32 gradients are sent, float16 or bfloat16. Sums are accumulated in
  /// float32 and rounded once, and are the same bits in all workers. Not given: float32.
  std::optional<DType> dtype = {};
};

/// Throws ValueError for a negative size and for another dtype.
void validate(const GradientMessages& messages);

/// The sum of a gradient over all workers; throws as worker_all_reduce() does.
Tensor worker_sum_gradient(const Tensor& x, const GradientMessages& messages);

/// Stacks the values of all workers along a new axis 0, in the order of their ranks. All workers
/// must have arrays of the same shape. Not differentiable.
Tensor worker_all_gather(const Tensor& x);

}  // namespace antler::ops
