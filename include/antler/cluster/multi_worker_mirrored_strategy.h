#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/cluster/gloo_communicator.h"
#include "antler/distribute/cluster_resolver.h"
#include "antler/distribute/strategy.h"

namespace antler::cluster {

/// The transport of collectives (TensorFlow's `CommunicationImplementation`).
enum class CommunicationImplementation : uint8_t {
  /// Shared memory if all workers are on one machine; otherwise MPI if mpirun or srun started them,
  /// the plug-in is installed (see has_mpi_plugin()) and the strategy is not elastic; otherwise
  /// ring.
  automatic,
  ring,  ///< Gloo over TCP
  mpi,   ///< MPI by a plug-in; see connect_mpi()
  nccl,  ///< between GPUs; throws NotImplementedError
};

/// How workers communicate; must be the same in all of them.
struct CommunicationOptions {
  /// Size of the buckets of gradients. A bucket is sent as soon as its gradients are computed. 0:
  /// one bucket if all workers share a machine's memory; over a network several, if the gradients
  /// are large enough.
  int64_t bytes_per_pack = 0;
  /// Seconds that a collective waits for a worker that makes no progress.
  double timeout_seconds = 30;
  /// The transport.
  CommunicationImplementation implementation = CommunicationImplementation::automatic;
  /// float16 or bfloat16: float32 gradients are sent in this dtype. Sums are accumulated in float32
  /// and rounded once, and are the same bits in all workers. Metrics and statistics are not
  /// rounded.
  std::optional<DType> gradient_dtype = {};
};

/// Options of MultiWorkerMirroredStrategy.
struct MultiWorkerMirroredOptions {
  /// Describes the workers and tells which one this process is. Default: TF_CONFIG, or the
  /// environment of Open MPI or Slurm; without any of them the process trains alone.
  std::shared_ptr<const distribute::ClusterResolver> cluster_resolver = {};
  CommunicationOptions communication_options = {};  ///< how gradients are sent
  /// Replicas per worker.
  int64_t replicas = 1;
  /// How the rows of a batch count if they cannot be divided evenly among the workers.
  distribute::UnevenBatches uneven_batches = distribute::UnevenBatches::exact;
  /// See GlooOptions.
  std::optional<double> start_timeout = {};
  std::optional<std::string> token = {};  ///< as in GlooOptions
  std::optional<TlsFiles> tls = {};       ///< as in GlooOptions
  HealthOptions health = {};              ///< as in GlooOptions
  /// Whether training continues when workers are lost, and admits workers that start or come back.
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
/// writes files. If a worker is lost, the current step throws UnavailableError in all others.
///
/// With `elastic`, the loss of a worker costs only the current execution: the remaining workers
/// redistribute the rows of its batches, repeat it and continue. The first of them is the chief. A
/// worker that starts or comes back runs the program up to fit(), gets the others' state, and joins
/// them between two executions. Up to fit(), the program must do the same in all workers. A worker
/// counts as lost at once if it has ended, after half of `timeout_seconds` if it does not answer,
/// and after 1.5 times `timeout_seconds` if it answers but does not take part. It joins again when
/// it is back. The remaining workers continue if they outnumber those that do not answer, or if
/// they are as many and include the first of the group; otherwise they throw UnavailableError,
/// because the others may continue without them. Only fit(), evaluate() and predict() survive a
/// loss; data sets must be sharded by rows (the policy DATA).
///
/// In a task "evaluator", the replicas are those of this process.
///
/// Throws ValueError for a cluster that validate_cluster_spec() refuses, for a task "ps", for
/// CommunicationOptions out of range, and if replicas < 1; and what connect() throws.
class MultiWorkerMirroredStrategy : public distribute::Strategy {
 public:
  explicit MultiWorkerMirroredStrategy(const MultiWorkerMirroredOptions& options = {});
};

}  // namespace antler::cluster
