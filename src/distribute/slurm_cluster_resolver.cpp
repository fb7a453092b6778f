#include <cstdlib>
#include <utility>

#include "antler/base/error.h"
#include "antler/distribute/cluster_resolver.h"
#include "distribute/process_environment.h"

namespace antler::distribute {
namespace {

/// The node of each rank.
std::vector<std::string> rank_nodes(std::vector<int64_t> tasks_per_node, int64_t ranks) {
  const std::string list = required_string("SLURM_STEP_NODELIST");
  const std::vector<std::string> nodes = expand_hostlist(list);
  if (tasks_per_node.empty()) {
    tasks_per_node = expand_tasks_per_node(required_string("SLURM_STEP_TASKS_PER_NODE"));
  } else if (tasks_per_node.size() == 1) {
    tasks_per_node.assign(nodes.size(), tasks_per_node.front());
  }
  if (tasks_per_node.size() != nodes.size()) {
    throw RuntimeError("There are {} numbers of tasks per node for {} nodes ({}).",
                       tasks_per_node.size(), nodes.size(), list);
  }
  std::vector<std::string> result;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (int64_t k = 0; k < tasks_per_node[i]; ++k) {
      if (static_cast<int64_t>(result.size()) == ranks) return result;
      result.push_back(nodes[i]);
    }
  }
  if (static_cast<int64_t>(result.size()) != ranks) {
    throw RuntimeError("The step has {} tasks, but its nodes ({}) have only {}.", ranks, list,
                       result.size());
  }
  return result;
}

}  // namespace

SlurmClusterResolver::SlurmClusterResolver(const SlurmClusterResolverOptions& options) {
  const int64_t rank = required_integer("SLURM_PROCID");
  const int64_t ranks = required_integer("SLURM_STEP_NUM_TASKS");
  const std::vector<std::string> nodes = rank_nodes(options.tasks_per_node, ranks);
  RankedCluster cluster =
      assign_ranks(options.jobs, rank_addresses(nodes, options.port_base), rank, options.rpc_layer);
  const char* here = std::getenv("SLURMD_NODENAME");
  const std::string& expected = nodes[static_cast<size_t>(rank)];
  if (here != nullptr && expected != here) {
    throw RuntimeError(
        "Rank {} runs on node '{}', but is expected on '{}'. Start the step with `srun "
        "--distribution=block`.",
        rank, here, expected);
  }
  cluster_spec_ = std::move(cluster.cluster_spec);
  task_ = std::move(cluster.task);
}

}  // namespace antler::distribute
