#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/distribute/cluster_resolver.h"
#include "distribute/process_environment.h"

namespace antler::distribute {

OpenMpiClusterResolver::OpenMpiClusterResolver(const OpenMpiClusterResolverOptions& options) {
  const int64_t rank = required_integer("OMPI_COMM_WORLD_RANK");
  const int64_t ranks = required_integer("OMPI_COMM_WORLD_SIZE");
  const int64_t here = required_integer("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (rank >= ranks) {
    throw RuntimeError("OMPI_COMM_WORLD_RANK={} must be less than OMPI_COMM_WORLD_SIZE={}.", rank,
                       ranks);
  }
  std::vector<std::string> hosts = options.hosts;
  if (hosts.empty()) {
    if (here != ranks) {
      throw RuntimeError(
          "mpirun started {} of the {} processes on this machine and does not report where the "
          "others are. Give OpenMpiClusterResolver the host of each rank (`hosts`), or use "
          "TF_CONFIG, srun or antler launch.",
          here, ranks);
    }
    // There are not enough ports for more, and a corrupt variable must not exhaust memory.
    hosts.assign(static_cast<size_t>(std::min<int64_t>(ranks, 65536)), "127.0.0.1");
  }
  if (static_cast<int64_t>(hosts.size()) != ranks) {
    throw RuntimeError("There are {} hosts for {} processes; each process needs one.", hosts.size(),
                       ranks);
  }
  const std::string& mine = hosts[static_cast<size_t>(rank)];
  const auto same = std::count(hosts.begin(), hosts.end(), mine);
  if (same != here) {
    throw RuntimeError(
        "`hosts` names '{}' for rank {} and {} processes in all, but mpirun started {} there.",
        mine, rank, same, here);
  }
  RankedCluster cluster =
      assign_ranks(options.jobs, rank_addresses(hosts, options.port_base), rank, options.rpc_layer);
  cluster_spec_ = std::move(cluster.cluster_spec);
  task_ = std::move(cluster.task);
}

}  // namespace antler::distribute
