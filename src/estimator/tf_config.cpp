// The part of RunConfig that reads the environment variable TF_CONFIG.
#include "antler/distribute/tf_config.h"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/estimator/run_config.h"

namespace antler::estimator {
namespace {

using distribute::ClusterSpec;
using distribute::TFConfig;

constexpr const char* kLocalMaster = "";

int64_t count(const ClusterSpec& cluster, const std::string& job) {
  return cluster.has_job(job) ? cluster.num_tasks(job) : 0;
}

/// Throws ValueError unless the task belongs to the cluster or is its evaluator.
void check_task(const ClusterSpec& cluster, const TFConfig& config, const std::string& chief) {
  if (!cluster.has_job(chief)) {
    throw ValueError("If \"cluster\" is set in TF_CONFIG, it must have one \"{}\" node.", chief);
  }
  if (cluster.num_tasks(chief) > 1) {
    throw ValueError("The \"cluster\" in TF_CONFIG must have only one \"{}\" node.", chief);
  }
  if (!config.task_type || config.task_type->empty()) {
    throw ValueError("If \"cluster\" is set in TF_CONFIG, task type must be set.");
  }
  if (!config.task_id) {
    throw ValueError("If \"cluster\" is set in TF_CONFIG, task index must be set.");
  }
  const std::string& type = *config.task_type;
  if (type == "evaluator") return;
  if (!cluster.has_job(type)) {
    throw ValueError("{} is not a valid task_type in the cluster_spec: {}", type,
                     cluster.as_dict().dump());
  }
  const auto indices = cluster.task_indices(type);
  if (std::find(indices.begin(), indices.end(), *config.task_id) == indices.end()) {
    throw ValueError("{} is not a valid task_id for task_type {} in the cluster_spec: {}",
                     *config.task_id, type, cluster.as_dict().dump());
  }
}

/// The chief is 0. The other jobs follow in alphabetical order, with the parameter servers last.
int64_t global_id(const ClusterSpec& cluster, const std::string& type, int64_t index,
                  const std::string& chief) {
  if (type == chief) return 0;
  int64_t id = 1;
  for (const std::string& job : cluster.jobs()) {
    if (job == chief || job == "ps") continue;
    if (job == type) return id + index;
    id += cluster.num_tasks(job);
  }
  return id + index;
}

/// The address of the task; "" for a single task.
std::string master_of(const ClusterSpec& cluster, const TFConfig& config) {
  if (config.session_master) return *config.session_master;
  if (cluster.jobs().size() == 1 && cluster.num_tasks(cluster.jobs()[0]) == 1) return kLocalMaster;
  return "grpc://" + cluster.task_address(*config.task_type, *config.task_id);
}

}  // namespace

void RunConfig::read_tf_config() {
  const TFConfig config = TFConfig::from_environment();
  if (config.model_dir) {
    if (config.model_dir->empty()) throw ValueError("model_dir in TF_CONFIG should be non-empty.");
    if (model_dir_ && *model_dir_ != *config.model_dir) {
      throw ValueError(
          "`model_dir` provided in RunConfig construct, if set, must have the same value as the "
          "model_dir in TF_CONFIG. model_dir: {}\nTF_CONFIG[\"model_dir\"]: {}.",
          *model_dir_, *config.model_dir);
    }
    model_dir_ = config.model_dir;
  }
  service_ = config.service;
  if (!config.cluster.empty()) return join_cluster(config);

  task_type_ = config.task_type.value_or("worker");
  task_id_ = config.task_id.value_or(0);
  if (task_type_ != "worker") {
    throw ValueError("If \"cluster\" is not set in TF_CONFIG, task type must be WORKER.");
  }
  if (task_id_ != 0) {
    throw ValueError("If \"cluster\" is not set in TF_CONFIG, task index must be 0.");
  }
  global_id_in_cluster_ = 0;
  master_ = config.session_master.value_or(kLocalMaster);
  evaluation_master_ = config.eval_session_master.value_or(kLocalMaster);
}

void RunConfig::join_cluster(const distribute::TFConfig& config) {
  const bool has_master = config.cluster.has_job("master");
  const std::string chief = has_master ? "master" : "chief";
  if (has_master && config.cluster.has_job("chief")) {
    throw ValueError("If `master` node exists in `cluster`, job `chief` is not supported.");
  }
  check_task(config.cluster, config, chief);
  task_type_ = *config.task_type;
  task_id_ = *config.task_id;
  is_chief_ = task_type_ == chief;
  if (task_type_ == "evaluator") {
    if (has_master) {
      throw ValueError(
          "If `master` node exists in `cluster`, task_type `evaluator` is not supported.");
    }
    // It does not belong to the cluster that trains.
    evaluation_master_ = config.eval_session_master.value_or(kLocalMaster);
    num_worker_replicas_ = 0;
    return;
  }
  cluster_spec_ = config.cluster;
  master_ = master_of(cluster_spec_, config);
  num_ps_replicas_ = count(cluster_spec_, "ps");
  num_worker_replicas_ = count(cluster_spec_, "worker") + count(cluster_spec_, chief);
  global_id_in_cluster_ = global_id(cluster_spec_, task_type_, task_id_, chief);
}

}  // namespace antler::estimator
