#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/cluster/parameter_server_strategy_v1.h"
#include "antler/cluster/server.h"
#include "cluster/job_places.h"
#include "cluster/named_variables.h"
#include "cluster/processes.h"

namespace antler::test {

/// A chief, a worker and parameter servers.
inline distribute::ClusterSpec job_spec(size_t servers) {
  const std::vector<std::string> addresses = free_addresses(2 + servers);
  return {{"chief", {addresses[0]}},
          {"worker", {addresses[1]}},
          {"ps", {addresses.begin() + 2, addresses.end()}}};
}

struct Servers {
  explicit Servers(size_t count) : spec(job_spec(count)) {
    for (size_t i = 0; i < count; ++i) start(tasks.emplace_back(), i);
  }
  /// Afterwards the server has nothing.
  void restart(size_t i) {
    tasks[i].reset();
    start(tasks[i], i);
  }
  cluster::NamedVariables client(const std::string& job) const {
    return {cluster::make_members(spec, {.job = job}), cluster::places_of(spec, "ps"), 20};
  }
  std::shared_ptr<distribute::ClusterResolver> resolver(const std::string& job) const {
    return std::make_shared<distribute::SimpleClusterResolver>(
        spec, distribute::SimpleClusterResolverOptions{.task_type = job, .task_id = 0});
  }
  distribute::Strategy strategy(const std::string& job) const {
    return cluster::ParameterServerStrategyV1(
        {.cluster_resolver = resolver(job), .start_timeout = 20});
  }
  distribute::ClusterSpec spec;
  std::deque<std::optional<cluster::Server>> tasks;

 private:
  void start(std::optional<cluster::Server>& task, size_t i) const {
    const cluster::ServerOptions options{.job_name = "ps", .task_index = static_cast<int64_t>(i)};
    task.emplace(spec, options);
  }
};

}  // namespace antler::test
