#include "antler/cluster/multi_worker_mirrored_strategy.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/cluster/mpi_communicator.h"
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
  ops::validate(
      {.bytes_per_pack = communication.bytes_per_pack, .dtype = communication.gradient_dtype});
  if (communication.implementation == CommunicationImplementation::nccl)
    throw NotImplementedError("CommunicationOptions: NCCL is not available on CPUs.");
  if (communication.implementation == CommunicationImplementation::mpi && options.elastic) {
    throw ValueError(
        "CommunicationOptions: elastic training needs the implementation `automatic` or `ring`; "
        "MPI cannot continue without one of the processes.");
  }
}

/// How this process connects to the other workers; empty for a process that trains alone.
std::optional<GlooOptions> connection_of(const MultiWorkerMirroredOptions& options) {
  const std::shared_ptr<const distribute::ClusterResolver> resolver =
      options.cluster_resolver != nullptr ? options.cluster_resolver
                                          : distribute::resolver_from_environment();
  if (resolver == nullptr) return std::nullopt;
  const distribute::ClusterSpec cluster = resolver->cluster_spec();
  if (cluster.empty()) return std::nullopt;
  distribute::validate(*resolver);
  const std::string type = *resolver->task_type();
  if (type == "ps") {
    throw ValueError(
        "MultiWorkerMirroredStrategy: this process is a task \"ps\", which does not train. "
        "Expected \"chief\" or \"worker\".");
  }
  // It is not one of the tasks that train together.
  if (type == "evaluator") return std::nullopt;
  const std::vector<std::string> addresses = worker_addresses(cluster);
  if (addresses.size() == 1) return std::nullopt;
  return GlooOptions{.rank = distribute::id_in_cluster(cluster, type, *resolver->task_id()),
                     .addresses = addresses,
                     .timeout = options.communication_options.timeout_seconds,
                     .start_timeout = options.start_timeout,
                     .token = options.token,
                     .tls = options.tls,
                     .health = options.health,
                     .shared_memory = options.communication_options.implementation !=
                                      CommunicationImplementation::ring};
}

bool are_on_one_machine(const std::vector<std::string>& addresses) {
  const auto host = [](const std::string& address) {
    return address.substr(0, address.rfind(':'));
  };
  return std::all_of(addresses.begin(), addresses.end(), [&](const std::string& address) {
    return host(address) == host(addresses[0]);
  });
}

/// The same for all groups of a cluster: an elastic group may have members on one machine now, and
/// on several later, and all must build the same messages.
ops::GradientMessages messages_of(const CommunicationOptions& options,
                                  const GlooOptions& connection) {
  ops::GradientMessages messages{.bytes_per_pack = options.bytes_per_pack,
                                 .dtype = options.gradient_dtype};
  if (options.bytes_per_pack == 0 && connection.shared_memory &&
      are_on_one_machine(connection.addresses))
    messages.bytes_per_pack.reset();
  return messages;
}

/// MPI is the default if it has started workers on several machines.
bool uses_mpi(const MultiWorkerMirroredOptions& options, const GlooOptions& connection) {
  using enum CommunicationImplementation;
  const CommunicationImplementation implementation = options.communication_options.implementation;
  if (implementation == mpi) return true;
  return implementation == automatic && !options.elastic && is_started_by_mpi() &&
         !are_on_one_machine(connection.addresses) && has_mpi_plugin();
}

std::shared_ptr<ops::Communicator> connect_workers(const MultiWorkerMirroredOptions& options,
                                                   const GlooOptions& connection) {
  if (uses_mpi(options, connection)) {
    return connect_mpi({.rank = connection.rank,
                        .size = static_cast<int64_t>(connection.addresses.size()),
                        .timeout = connection.timeout});
  }
  if (options.elastic) return connect_elastically(connection);
  return connect(connection);
}

distribute::Strategy make_strategy(const MultiWorkerMirroredOptions& options) {
  check(options);
  const std::optional<GlooOptions> connection = connection_of(options);
  if (!connection) {
    return distribute::multi_worker_strategy(nullptr, options.replicas, options.uneven_batches);
  }
  return distribute::multi_worker_strategy(connect_workers(options, *connection), options.replicas,
                                           options.uneven_batches,
                                           messages_of(options.communication_options, *connection));
}

}  // namespace

MultiWorkerMirroredStrategy::MultiWorkerMirroredStrategy(const MultiWorkerMirroredOptions& options)
    : Strategy(make_strategy(options)) {}

}  // namespace antler::cluster
