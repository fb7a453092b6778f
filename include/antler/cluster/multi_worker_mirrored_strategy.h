#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/cluster/gloo_communicator.h"
#include "antler/distribute/cluster_resolver.h"
#include "antler/distribute/strategy.h"

namespace antler::cluster {

/// What carries the values of collectives (TensorFlow's `CommunicationImplementation`).
enum class CommunicationImplementation : uint8_t {
  automatic,  ///< memory that the workers share, if all are on one machine, else ring
  ring,       ///< Gloo over TCP
  nccl,       ///< between GPUs; throws NotImplementedError
};

struct CommunicationOptions {
  /// Seconds that a collective waits for a worker that makes no progress.
  double timeout_seconds = 30;
  CommunicationImplementation implementation = CommunicationImplementation::automatic;
};

struct MultiWorkerMirroredOptions {
  /// Describes the workers and tells which one this process is. Not given: TF_CONFIG, Open MPI's or
  /// Slurm's environment; a process without any of them works alone.
  std::shared_ptr<const distribute::ClusterResolver> cluster_resolver = {};
  CommunicationOptions communication_options = {};
  /// Replicas per worker.
  int64_t replicas = 1;
  distribute::UnevenBatches uneven_batches = distribute::UnevenBatches::exact;
  /// See GlooOptions.
  std::optional<double> start_timeout = {};
  std::optional<std::string> token = {};
  std::optional<TlsFiles> tls = {};
  HealthOptions health = {};
  /// Whether training goes on when workers are lost, and takes in those that come (back).
  bool elastic = false;
};

/// Synchronous training on several processes (TensorFlow's `MultiWorkerMirroredStrategy`); see
/// distribute::multi_worker_strategy() for what they share. The same program runs in every worker,
/// and makes its strategy before its models:
///
///     cluster::MultiWorkerMirroredStrategy strategy;
///     const auto scope = strategy.scope();
///     Sequential model({...});
///
/// The constructor returns when all workers have started. The chief, or worker 0 if there is none,
/// writes files. A worker that is lost makes the step in flight throw UnavailableError in all
/// others.
///
/// With `elastic`, a loss costs the execution in flight and nothing else: the workers that are left
/// share the rows of its batches anew, repeat it, and go on; the first of them is the chief. A
/// worker that comes (back) runs the program up to fit(), gets the state of the others, and joins
/// them between two executions. The program does the same in all workers up to there. A worker
/// that does not take part for `timeout_seconds`, and does not answer for half of that time more,
/// counts as lost, and joins again when it is back. Workers that cannot reach more than half of the
/// others throw UnavailableError, because those may go on. Only fit() and evaluate() go on; data
/// sets must be shared by rows (the policy DATA).
///
/// Throws ValueError for a cluster that validate_cluster_spec() refuses, for a task that does not
/// train ("ps", "evaluator"), and if replicas < 1; and what connect() throws.
class MultiWorkerMirroredStrategy : public distribute::Strategy {
 public:
  explicit MultiWorkerMirroredStrategy(const MultiWorkerMirroredOptions& options = {});
};

}  // namespace antler::cluster
