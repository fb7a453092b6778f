#pragma once

#include <vector>

#include "antler/distribute/strategy.h"
#include "antler/ir/tracer.h"

namespace antler::distribute {

/// The traced function of one replica.
struct ReplicaTrace {
  Tensors arguments;  ///< the values of the inputs of its graph
  Nest outputs;       ///< the structure of its results
  ir::Tracer::Result traced;
};

/// Emits the functions of all replicas as one. Replicas are emitted up to the next collective,
/// which is emitted when all have reached it. Nodes that are equal in several replicas, such as
/// everything after the gradients are summed, are emitted once. Performs the assignments of replica
/// 0. Throws RuntimeError if the collectives of the replicas differ.
PerReplica merge_replicas(const std::vector<ReplicaTrace>& traces);

}  // namespace antler::distribute
