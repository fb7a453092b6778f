#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "antler/core/nest.h"
#include "antler/ops/collectives.h"

namespace antler::distribute {

/// One value per replica.
using PerReplica = std::vector<Nest>;

/// How values of replicas are combined. Strategies support `sum` and `mean` only.
using ops::ReduceOp;
/// "SUM" or "MEAN", in upper or lower case. Throws TypeError for another name.
ReduceOp reduce_op(const std::string& name);

class Strategy;
/// The function of merge_call(). `values` are those that the replicas passed.
using MergeFunction = std::function<Nest(const Strategy& strategy, const PerReplica& values)>;

/// Tells the function of a replica which replica it runs for, and connects it with the others. Each
/// replica must make the same calls in the same order, with values of the same shapes.
struct ReplicaContext {
  int64_t replica_id_in_sync_group = 0;
  int64_t num_replicas_in_sync = 1;
  /// This replica's part of the global batch. Means over the rows of each replica, multiplied by
  /// this and summed over the replicas, are means over the global batch.
  double share = 1;
  /// The same for losses that every replica computes, such as weight penalties.
  double penalty_share = 1;

  /// Combines the values of all replicas leaf by leaf. Throws TypeError for an op that is neither
  /// sum nor mean.
  Nest all_reduce(ReduceOp op, const Nest& value) const;
  Nest all_reduce(const std::string& op, const Nest& value) const;
  /// Concatenates the values of all replicas along `axis`. Throws ValueError for an axis that a
  /// value does not have.
  Nest all_gather(const Nest& value, int64_t axis = 0) const;
  /// Calls `function` once for all replicas, outside of any replica, with the values that they
  /// passed. Every replica gets its result. Variables that it assigns need no aggregation.
  Nest merge_call(const MergeFunction& function, const Nest& value = {}) const;
};

/// The replica whose function this thread runs. Outside of Strategy::run(): the default strategy's
/// replica if no scope is open, else null.
const ReplicaContext* get_replica_context();
/// Whether a scope is open and this thread is not running the function of a replica.
bool in_cross_replica_context();

}  // namespace antler::distribute
