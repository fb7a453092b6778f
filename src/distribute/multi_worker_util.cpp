#include "antler/distribute/multi_worker_util.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "antler/base/error.h"

namespace antler::distribute {
namespace {

constexpr std::array<std::string_view, 5> kTaskTypes = {"chief", "master", "worker", "evaluator",
                                                        "ps"};

int64_t count(const ClusterSpec& cluster, const char* job) {
  return cluster.has_job(job) ? cluster.num_tasks(job) : 0;
}

int64_t chiefs(const ClusterSpec& cluster) {
  return count(cluster, "chief") + count(cluster, "master");
}

bool chief_job(const std::string& task_type) {
  return task_type == "chief" || task_type == "master";
}

void check_jobs(const ClusterSpec& cluster, const std::string& task_type) {
  if (std::find(kTaskTypes.begin(), kTaskTypes.end(), task_type) == kTaskTypes.end()) {
    throw ValueError(
        "Unrecognized task type '{}'. Valid are 'chief', 'master', 'worker', 'evaluator' and 'ps'.",
        task_type);
  }
  if (chiefs(cluster) > 1) {
    throw ValueError(
        "There must be at most one task of the jobs 'chief' and 'master'. Received: {}.",
        chiefs(cluster));
  }
  if (count(cluster, "evaluator") > 1) {
    throw ValueError("There must be at most one task of the job 'evaluator'. Received: {}.",
                     count(cluster, "evaluator"));
  }
  if (task_type != "evaluator" && !cluster.has_job(task_type)) {
    throw ValueError("The task type '{}' is not a job of the cluster.", task_type);
  }
}

/// Throws ValueError for a task type that is not counted as a worker.
void check_counted(const std::string& task_type) {
  if (task_type == "ps") {
    throw ValueError("Parameter servers (task type 'ps') are not counted as workers.");
  }
}

}  // namespace

void validate_cluster_spec(const ClusterSpec& cluster, const std::string& task_type,
                           int64_t task_id) {
  check_jobs(cluster, task_type);
  if (!cluster.has_job(task_type)) {  // an evaluator
    if (task_id == 0) return;
    throw ValueError("The only evaluator outside of the cluster has the index 0. Received: {}.",
                     task_id);
  }
  const std::vector<int64_t> indices = cluster.task_indices(task_type);
  if (!std::binary_search(indices.begin(), indices.end(), task_id)) {
    throw ValueError("There is no task {} in job '{}', which has {} tasks.", task_id, task_type,
                     indices.size());
  }
}

bool is_chief(const ClusterSpec& cluster, const std::string& task_type, int64_t task_id) {
  validate_cluster_spec(cluster, task_type, task_id);
  if (chief_job(task_type) || task_type == "evaluator") return true;
  return task_type == "worker" && chiefs(cluster) == 0 &&
         task_id == cluster.task_indices("worker").front();
}

int64_t worker_count(const ClusterSpec& cluster, const std::string& task_type) {
  check_jobs(cluster, task_type);
  check_counted(task_type);
  if (task_type == "evaluator") return 1;
  return chiefs(cluster) + count(cluster, "worker");
}

int64_t id_in_cluster(const ClusterSpec& cluster, const std::string& task_type, int64_t task_id) {
  validate_cluster_spec(cluster, task_type, task_id);
  check_counted(task_type);
  if (task_type != "worker") return 0;
  const std::vector<int64_t> indices = cluster.task_indices("worker");
  const auto position = std::lower_bound(indices.begin(), indices.end(), task_id);
  return chiefs(cluster) + (position - indices.begin());
}

}  // namespace antler::distribute
