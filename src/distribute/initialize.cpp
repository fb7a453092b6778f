#include "antler/distribute/initialize.h"

#include <algorithm>
#include <cstdlib>

#include "antler/base/error.h"
#include "antler/distribute/cluster_resolver.h"
#include "antler/distribute/multi_worker_util.h"
#include "distribute/process_environment.h"
#include "distribute/process_group.h"

namespace antler::distribution {
namespace {

std::vector<std::string> split_addresses(const std::string& text) {
  std::vector<std::string> addresses;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) addresses.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return addresses;
}

InitializeOptions with_environment(InitializeOptions options) {
  const char* addresses = std::getenv("KERAS_DISTRIBUTION_JOB_ADDRESSES");
  if (!options.job_addresses && addresses != nullptr) options.job_addresses = addresses;
  if (!options.num_processes)
    options.num_processes = distribute::environment_integer("KERAS_DISTRIBUTION_NUM_PROCESSES");
  if (!options.process_id)
    options.process_id = distribute::environment_integer("KERAS_DISTRIBUTION_PROCESS_ID");
  return options;
}

/// The workers of the cluster that started this process.
Processes from_resolver() {
  const auto resolver = distribute::resolver_from_environment();
  if (resolver == nullptr) return {};
  const distribute::ClusterSpec cluster = resolver->cluster_spec();
  if (cluster.empty()) return {};
  distribute::validate(*resolver);
  Processes processes;
  for (const char* job : {"chief", "master", "worker"}) {
    if (!cluster.has_job(job)) continue;
    for (const int64_t index : cluster.task_indices(job))
      processes.addresses.push_back(cluster.task_address(job, index));
  }
  processes.process_id =
      distribute::id_in_cluster(cluster, *resolver->task_type(), *resolver->task_id());
  return processes;
}

}  // namespace

Processes described_processes(const InitializeOptions& options) {
  const InitializeOptions given = with_environment(options);
  if (!given.job_addresses && !given.num_processes && !given.process_id) return from_resolver();
  Processes processes;
  if (given.job_addresses) processes.addresses = split_addresses(*given.job_addresses);
  const auto count = static_cast<int64_t>(processes.addresses.size());
  const int64_t expected = given.num_processes.value_or(count);
  if (expected != count && (expected > 1 || count > 0)) {
    throw ValueError(
        "initialize: `job_addresses` must have the address of each process. Received: {} "
        "address(es), num_processes={}.",
        count, expected);
  }
  if (expected <= 1) return {};
  if (!given.process_id || *given.process_id < 0 || *given.process_id >= count) {
    throw ValueError("initialize: `process_id` must be from 0 to {}. Received: {}.", count - 1,
                     given.process_id ? std::to_string(*given.process_id) : "None");
  }
  processes.process_id = *given.process_id;
  return processes;
}

void initialize(const InitializeOptions& options, const Connect& connect) {
  const Processes processes = described_processes(options);
  if (processes.addresses.size() <= 1) return;
  if (!connect) {
    throw RuntimeError(
        "distribution::initialize: {} processes need a connection. Call cluster::initialize of the "
        "component `cluster` (antler/cluster/initialize.h) instead.",
        processes.addresses.size());
  }
  set_process_group(connect(processes));
}

}  // namespace antler::distribution
