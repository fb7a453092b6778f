#pragma once

#include <memory>
#include <optional>
#include <string>

#include "antler/cluster/gloo_communicator.h"
#include "antler/distribute/cluster_resolver.h"
#include "antler/distribute/strategy.h"

namespace antler::cluster {

/// Options of ParameterServerStrategyV1.
struct ParameterServerV1Options {
  /// Describes the cluster and this task. Default: TF_CONFIG, or the environment of Open MPI or
  /// Slurm; without any of them, or without a cluster in it, the process trains alone.
  std::shared_ptr<const distribute::ClusterResolver> cluster_resolver = {};
  /// Seconds to wait for the parameter servers to start; without limit if not given.
  std::optional<double> start_timeout = {};
  /// See GlooOptions.
  std::optional<std::string> token = {};
  std::optional<TlsFiles> tls = {};  ///< as in GlooOptions
};

/// Asynchronous training of an Estimator with parameter servers (TensorFlow's
/// `tf.compat.v1.distribute.experimental.ParameterServerStrategy`): RunConfig::train_distribute.
///
///     options.train_distribute = cluster::ParameterServerStrategyV1();
///
/// Every task runs the same program. The tasks "ps" hold the global variables of model_fn, assigned
/// in turn; an optimizer's slots are in the task of their variable. The chief, or "master", gives
/// them their values and writes the files; it and the tasks "worker" compute steps, each on batches
/// of its own, and apply the gradients as soon as they have them. A step's update is computed in
/// the parameter server as one atomic operation on the current values; the worker may have read
/// older ones. Local variables, such as the seeds of random layers, stay in each process.
///
/// A worker that is lost does not disturb the others, nor does a chief, which goes on from the last
/// checkpoint when it is started again. If a parameter server is lost, all tasks wait until it has
/// been started again, and go on from the last checkpoint. If `start_timeout` is over before, they
/// throw DeadlineExceededError.
///
/// ParameterServerStrategy is for fit() and ClusterCoordinator, not for Estimators.
class ParameterServerStrategyV1 : public distribute::Strategy {
 public:
  /// Connects to nothing yet. Throws ValueError for a cluster without a task "ps" or without this
  /// task, unless it is an evaluator.
  explicit ParameterServerStrategyV1(const ParameterServerV1Options& options = {});
};

}  // namespace antler::cluster
