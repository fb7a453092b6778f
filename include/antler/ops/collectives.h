#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

/// Ops that combine the values of all replicas of a distributed program.
namespace antler::ops {

/// How many replicas run the program that this thread traces: collectives are made for that many. 1
/// unless a ReplicaScope says otherwise.
int64_t replica_count();
/// Sets replica_count() while it lives; a distribution strategy opens one around a replica's
/// function.
class ReplicaScope {
 public:
  explicit ReplicaScope(int64_t count);
  ~ReplicaScope();
  ReplicaScope(const ReplicaScope&) = delete;
  ReplicaScope& operator=(const ReplicaScope&) = delete;

 private:
  int64_t previous_;
};

enum class ReduceOp : uint8_t { sum, mean, max, min };
/// Combines the values of all replicas; with one replica the value itself.
Tensor all_reduce(const Tensor& x, ReduceOp op = ReduceOp::sum);
/// Values of all replicas, concatenated along `axis`.
Tensor all_gather(const Tensor& x, int64_t axis = 0);

}  // namespace antler::ops
