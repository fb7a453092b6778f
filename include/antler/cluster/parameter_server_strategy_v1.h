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
/// in turn; an optimizer's slots are in the task of their variable. The chief, or "master",
/// initializes the variables and writes the files. The chief and the tasks "worker" compute steps,
/// each on its own batches, and apply the gradients as soon as they have them. The parameter server
/// computes a step's update as one atomic operation on the current values, although the worker may
/// have read older ones. Local variables, such as the seeds of random layers, stay in each process.
///
/// The loss of a worker or of the chief does not affect the others. A restarted chief continues
/// from the last checkpoint. If a parameter server is lost, all tasks wait until it is restarted,
/// and continue from the last checkpoint. After `start_timeout` they throw DeadlineExceededError.

///
/// ParameterServerStrategy is for fit() and ClusterCoordinator, not for Estimators.
class ParameterServerStrategyV1 : public distribute::Strategy {
 public:
  /// Connects to nothing yet. Throws ValueError for a cluster without a task "ps" or without this
  /// task, unless it is an evaluator.
  explicit ParameterServerStrategyV1(const ParameterServerV1Options& options = {});
};

}  // namespace antler::cluster
