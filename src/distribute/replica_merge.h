#pragma once

#include <vector>

#include "antler/distribute/strategy.h"
#include "antler/ir/tracer.h"

namespace antler::distribute {

/// The traced function of one replica.
struct ReplicaTrace {
  Tensors arguments;  ///< the values of the inputs of its graph
  Nest outputs;       ///< the structure of its results
  Variables own;      ///< variables that no other replica uses
  ir::Tracer::Result traced;
};

/// Emits the functions of all replicas as one. Replicas are emitted up to the next collective,
/// which is emitted when all have reached it. Nodes that are equal in several replicas, such as
/// everything after the gradients are summed, are emitted once. Performs the assignments of replica
/// 0, and those of the others to their own variables. Throws RuntimeError if the collectives of the
/// replicas differ, ValueError if the values that they combine have different shapes.
PerReplica merge_replicas(const std::vector<ReplicaTrace>& traces);

}  // namespace antler::distribute
