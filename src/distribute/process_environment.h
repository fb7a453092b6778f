#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/distribute/cluster_resolver.h"

/// Shared by the resolvers for launchers that number processes by rank.
namespace antler::distribute {

/// The non-negative number in an environment variable; nothing if it is not set. Throws
/// RuntimeError for any other value.
std::optional<int64_t> environment_integer(const char* name);
/// Like environment_integer(), but throws RuntimeError if the variable is not set; so does the next
/// function.
int64_t required_integer(const char* name);
std::string required_string(const char* name);

/// "HOST:PORT" for each rank: the ranks of a host use the ports from `port_base` on. Throws
/// ValueError for a port that does not exist.
std::vector<std::string> rank_addresses(const std::vector<std::string>& hosts, int64_t port_base);

struct RankedCluster {
  ClusterSpec cluster_spec;
  TaskOptions task;
};

/// Assigns ranks to jobs in order; if there are no jobs, all are workers. Throws RuntimeError
/// unless the sizes of the jobs add up to the number of addresses and `rank` is in range.
RankedCluster assign_ranks(JobSizes jobs, const std::vector<std::string>& addresses, int64_t rank,
                           const std::string& rpc_layer);

}  // namespace antler::distribute
