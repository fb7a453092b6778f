#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

/// Collective ops: they combine the values of all replicas of a distributed program.
namespace antler::ops {

/// Number of replicas that run the program which this thread traces; 1 outside of a ReplicaScope.
int64_t replica_count();
/// Whether layers normalize by statistics over the batches of all replicas without being told to,
/// as under Keras 3's distributions.
bool has_joint_statistics();
/// Sets replica_count() and has_joint_statistics() for its lifetime. A distribution strategy opens
/// one around the function of a replica.
class ReplicaScope {
 public:
  explicit ReplicaScope(int64_t count, bool joint_statistics = false);
  ~ReplicaScope();
  ReplicaScope(const ReplicaScope&) = delete;
  ReplicaScope& operator=(const ReplicaScope&) = delete;

 private:
  int64_t previous_;
  bool previous_joint_;
};

enum class ReduceOp : uint8_t { sum, mean, max, min };
/// Combines the values of all replicas. With one replica: `x` itself.
Tensor all_reduce(const Tensor& x, ReduceOp op = ReduceOp::sum);
/// The sum of a gradient over all replicas: all_reduce(), except that a strategy of several
/// processes may round it to a half-precision dtype, and send it while other gradients are
/// computed.
Tensor all_reduce_gradient(const Tensor& x);
/// Concatenates the values of all replicas along `axis`.
Tensor all_gather(const Tensor& x, int64_t axis = 0);

}  // namespace antler::ops
