#include "antler/cluster/parameter_server_strategy.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "base/scoped_value.h"
#include "cluster/coordination.h"
#include "cluster/job_places.h"
#include "cluster/parameter_servers.h"
#include "cluster/random_number.h"
#include "ops/core/shards.h"

namespace antler::cluster {
namespace {

/// The positions of the tasks of a job that the cluster must have.
std::vector<int64_t> required_places(const distribute::ClusterSpec& cluster,
                                     const std::string& job) {
  if (cluster.has_job(job)) return places_of(cluster, job);
  throw ValueError(
      "ParameterServerStrategy: the cluster has no task \"{}\". It needs at least one \"ps\" and "
      "one \"worker\".",
      job);
}

/// Whether this thread is creating the parts of a variable, which are not divided further.
thread_local bool t_divides = false;

int64_t parts_of(const Variable& variable, const std::vector<int64_t>& counts) {
  const bool is_valid =
      static_cast<int>(counts.size()) == variable.shape().rank() && counts[0] >= 1 &&
      std::all_of(counts.begin() + 1, counts.end(), [](int64_t count) { return count == 1; });
  if (!is_valid) {
    throw ValueError(
        "`variable_partitioner` must return one number per axis, 1 for each but the first, which "
        "is at least 1. Received: {} for variable `{}` of shape {}.",
        Shape(counts), variable.path(), variable.shape());
  }
  return std::min(counts[0], variable.shape()[0]);
}

std::shared_ptr<const ParameterServers> connect_servers(const ParameterServerOptions& options) {
  const std::shared_ptr<const distribute::ClusterResolver> resolver =
      options.cluster_resolver != nullptr ? options.cluster_resolver
                                          : distribute::resolver_from_environment();
  if (resolver == nullptr || resolver->cluster_spec().empty()) {
    throw ValueError(
        "ParameterServerStrategy: expected a cluster. Give `cluster_resolver`, or set TF_CONFIG.");
  }
  const distribute::ClusterSpec cluster = resolver->cluster_spec();
  const std::string job = resolver->task_type().value_or("");
  if (job == "worker" || job == "ps") {
    throw ValueError(
        "ParameterServerStrategy: this process is a task \"{}\", which only runs "
        "cluster::Server().join(). The strategy is made by the chief.",
        job);
  }
  const std::vector<int64_t> workers = required_places(cluster, "worker");
  const std::vector<int64_t> servers = required_places(cluster, "ps");
  const bool is_member = cluster.has_job(job);
  Members members = make_members(cluster, {.job = is_member ? job : "",
                                           .index = resolver->task_id().value_or(0),
                                           .token = options.token,
                                           .tls = options.tls});
  return {new ParameterServers(std::move(members), workers, servers, options),
          ParameterServers::destroy};
}

}  // namespace

ParameterServers::ParameterServers(Members members, std::vector<int64_t> workers,
                                   std::vector<int64_t> servers,
                                   const ParameterServerOptions& options)
    : members_(std::move(members)),
      workers_(std::move(workers)),
      servers_(std::move(servers)),
      partitioner_(options.variable_partitioner),
      session_(random_number()),
      variables_(members_, servers_, session_, options.start_timeout) {}

void ParameterServers::created(const Variable& variable, const Variable& colocated) const {
  variables_.add(variable, colocated);
  if (!partitioner_ || t_divides || colocated.defined() || variable.shape().rank() == 0) return;
  const int64_t parts = parts_of(variable, partitioner_(variable.shape(), variable.dtype()));
  if (parts <= 1) return;
  const ScopedValue<bool> dividing(t_divides, true);
  ops::divide(variable, {{.dimension = 0, .parts = parts, .mesh_axis = {}}});
}

distribute::PerReplica ParameterServers::run(const distribute::ReplicaFunction& function,
                                             const distribute::PerReplica& arguments,
                                             const distribute::RunOptions&) const {
  const distribute::ReplicaContextScope context({});
  return {function(arguments[0])};
}

ParameterServers::~ParameterServers() = default;

void ParameterServers::destroy(const ParameterServers* servers) {
  // A function that has just run may have held the last reference to a variable.
  if (servers->coordination_ != nullptr && servers->coordination_->runs_here()) {
    std::thread([servers] { delete servers; }).detach();
  } else {
    delete servers;
  }
}

distribute::RemoteProcesses* ParameterServers::remote_processes(
    const distribute::Strategy& self) const {
  return &coordination(self);
}

Coordination& ParameterServers::coordination(const distribute::Strategy& self) const {
  const std::lock_guard lock(mutex_);
  if (coordination_ == nullptr) coordination_ = std::make_unique<Coordination>(self, *this);
  return *coordination_;
}

ParameterServerStrategy::ParameterServerStrategy(const ParameterServerOptions& options)
    : Strategy(connect_servers(options)) {}

int64_t ParameterServerStrategy::server_of(const Variable& variable) const {
  const auto& servers = static_cast<const ParameterServers&>(*implementation());
  if (variable.shards() != nullptr) {
    throw ValueError("Variable `{}` is divided: ask for its parts instead.", variable.path());
  }
  const std::vector<int64_t>& tasks = servers.server_tasks();
  const auto found = std::find(tasks.begin(), tasks.end(), servers.variables().task_of(variable));
  return found - tasks.begin();
}

}  // namespace antler::cluster
