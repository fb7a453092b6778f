#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "antler/cluster/parameter_server_strategy.h"
#include "antler/cluster/server.h"
#include "cluster/processes.h"

namespace antler::test {

/// The addresses of workers and parameter servers on this machine.
inline distribute::ClusterSpec local_spec(size_t workers, size_t servers) {
  const std::vector<std::string> addresses = free_addresses(workers + servers);
  const auto middle = addresses.begin() + static_cast<std::ptrdiff_t>(workers);
  return {{"worker", {addresses.begin(), middle}}, {"ps", {middle, addresses.end()}}};
}

inline cluster::ParameterServerStrategy local_strategy(const distribute::ClusterSpec& spec) {
  return cluster::ParameterServerStrategy(
      {.cluster_resolver = std::make_shared<distribute::SimpleClusterResolver>(spec),
       .start_timeout = 20});
}

/// A cluster whose tasks are threads of this process.
struct LocalCluster {
  LocalCluster(size_t workers, size_t servers) {
    spec = local_spec(workers, servers);
    for (size_t i = 0; i < workers; ++i) start("worker", i);
    for (size_t i = 0; i < servers; ++i) start("ps", i);
  }
  void start(const std::string& job, size_t index) {
    tasks.emplace_back(
        spec, cluster::ServerOptions{.job_name = job, .task_index = static_cast<int64_t>(index)});
  }
  cluster::ParameterServerStrategy strategy() const { return local_strategy(spec); }
  distribute::ClusterSpec spec;
  std::vector<cluster::Server> tasks;
};

}  // namespace antler::test
