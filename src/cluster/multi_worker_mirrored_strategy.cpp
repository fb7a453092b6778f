#include "antler/cluster/multi_worker_mirrored_strategy.h"

#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/distribute/multi_worker.h"
#include "antler/distribute/multi_worker_util.h"
#include "cluster/elastic_communicator.h"

namespace antler::cluster {
namespace {

/// The addresses of the tasks that train together, in the order of their ranks.
std::vector<std::string> worker_addresses(const distribute::ClusterSpec& cluster) {
  std::vector<std::string> addresses;
  for (const char* job : {"chief", "master", "worker"}) {
    if (!cluster.has_job(job)) continue;
    for (const int64_t index : cluster.task_indices(job))
      addresses.push_back(cluster.task_address(job, index));
  }
  return addresses;
}

void check(const MultiWorkerMirroredOptions& options) {
  if (options.replicas < 1) {
    throw ValueError("MultiWorkerMirroredStrategy: expected at least one replica. Received: {}.",
                     options.replicas);
  }
  const CommunicationOptions& communication = options.communication_options;
  if (communication.timeout_seconds <= 0) {
    throw ValueError("CommunicationOptions: `timeout_seconds` must be positive. Received: {}.",
                     communication.timeout_seconds);
  }
  if (communication.implementation == CommunicationImplementation::nccl)
    throw NotImplementedError("CommunicationOptions: NCCL is not available on CPUs.");
}

/// The group of all workers; null for a process that trains alone.
std::shared_ptr<ops::Communicator> group_of(const MultiWorkerMirroredOptions& options) {
  const std::shared_ptr<const distribute::ClusterResolver> resolver =
      options.cluster_resolver != nullptr ? options.cluster_resolver
                                          : distribute::resolver_from_environment();
  if (resolver == nullptr) return nullptr;
  const distribute::ClusterSpec cluster = resolver->cluster_spec();
  if (cluster.empty()) return nullptr;
  distribute::validate(*resolver);
  const std::string type = *resolver->task_type();
  if (type == "ps" || type == "evaluator") {
    throw ValueError(
        "MultiWorkerMirroredStrategy: this process is a task \"{}\", which does not train. "
        "Expected "
        "\"chief\" or \"worker\".",
        type);
  }
  const std::vector<std::string> addresses = worker_addresses(cluster);
  if (addresses.size() == 1) return nullptr;
  const GlooOptions connection = {
      .rank = distribute::id_in_cluster(cluster, type, *resolver->task_id()),
      .addresses = addresses,
      .timeout = options.communication_options.timeout_seconds,
      .start_timeout = options.start_timeout,
      .token = options.token,
      .tls = options.tls,
      .health = options.health,
      .shared_memory =
          options.communication_options.implementation != CommunicationImplementation::ring};
  if (options.elastic) return connect_elastically(connection);
  return connect(connection);
}

distribute::Strategy make_strategy(const MultiWorkerMirroredOptions& options) {
  check(options);
  return distribute::multi_worker_strategy(group_of(options), options.replicas,
                                           options.uneven_batches);
}

}  // namespace

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(const MultiWorkerMirroredOptions& options)
    : Strategy(make_strategy(options)) {}

}  // namespace antler::cluster
