#pragma once

#include <vector>

#include "antler/distribute/strategy.h"
#include "antler/ir/tracer.h"

namespace antler::distribute {

/// The function of one replica, traced.
struct ReplicaTrace {
  Tensors arguments;  ///< what its graph's inputs stand for
  Nest outputs;       ///< structure of its results
  ir::Tracer::Result traced;
};

/// Emits the functions of all replicas as one: node by node, the replicas side by side, collectives
/// where all of them have arrived. What comes out the same for several replicas (everything behind
/// summed gradients) is emitted once. Assigns what replica 0 assigned. Throws RuntimeError when the
/// replicas do not have the same collectives.
PerReplica merge_replicas(const std::vector<ReplicaTrace>& traces);

}  // namespace antler::distribute
