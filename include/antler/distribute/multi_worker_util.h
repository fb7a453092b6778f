#pragma once

#include <cstdint>
#include <string>

#include "antler/distribute/cluster_spec.h"

/// A task's place in its cluster, as TensorFlow's `multi_worker_util` has it. The tasks that train
/// together are those of the job "chief" (or "master", its name in TensorFlow 1), at most one, then
/// those of the job "worker". An "evaluator" works on its own and need not be in the cluster. A
/// "ps" (parameter server) holds variables.
namespace antler::distribute {

/// Throws ValueError if there are several chiefs or evaluators, if `task_type` is none of the above
/// or not in the cluster, or if the job has no task `task_id`.
void validate_cluster_spec(const ClusterSpec& cluster, const std::string& task_type,
                           int64_t task_id);

/// Whether the task writes files: the chief, or the first worker if there is no chief; and the
/// evaluator. Throws what validate_cluster_spec() throws; so do the functions below.
bool is_chief(const ClusterSpec& cluster, const std::string& task_type, int64_t task_id);

/// The number of chiefs and workers; for an evaluator, that of evaluators. Throws ValueError for
/// "ps".
int64_t worker_count(const ClusterSpec& cluster, const std::string& task_type);

/// The position of the task among those that worker_count() counts: the chief comes first, then the
/// workers by index. Throws ValueError for "ps".
int64_t id_in_cluster(const ClusterSpec& cluster, const std::string& task_type, int64_t task_id);

}  // namespace antler::distribute
