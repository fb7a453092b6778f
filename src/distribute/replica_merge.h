#pragma once

#include <vector>

#include "antler/distribute/strategy.h"
#include "antler/ir/tracer.h"
#include "antler/ops/worker_collectives.h"

namespace antler::distribute {

/// The traced function of one replica.
struct ReplicaTrace {
  Tensors arguments;  ///< the values of the inputs of its graph
  Nest outputs;       ///< in the structure of its results
  Variables own;      ///< variables that only this replica uses
  ir::Tracer::Result traced;
};

/// Whether a variable holds the state of a random number generator.
bool is_seed(const Variable& variable);

/// The place of this process among the workers that run a step together.
struct WorkerPlace {
  int64_t rank = 0;
  int64_t workers = 1;
  int64_t active_replicas = 1;  ///< replicas of all workers that have rows
  bool is_empty = false;        ///< no replica of this worker has rows
  /// Whether results that depend on the only row become zeros, without that row: it is a
  /// placeholder for no rows.
  bool hides_rows = false;
  ops::GradientMessages messages = {};
};

/// Emits the functions of the replicas of this process as one. Replicas are emitted up to the next
/// collective, which is emitted when all have reached it. Nodes that are equal in several replicas,
/// such as everything after the summation of the gradients, are emitted once. Performs the
/// assignments of replica 0, and the assignments of the others to their own variables. Throws
/// RuntimeError if the collectives of the replicas differ, and ValueError if the values that they
/// combine have different shapes.
///
/// With several workers, each collective also spans the workers. A worker without rows contributes
/// the identity element.
PerReplica merge_replicas(const std::vector<ReplicaTrace>& traces, const WorkerPlace& place);

}  // namespace antler::distribute
