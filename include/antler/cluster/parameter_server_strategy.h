#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/cluster/gloo_communicator.h"
#include "antler/cluster/partitioners.h"
#include "antler/distribute/cluster_resolver.h"
#include "antler/distribute/strategy.h"

namespace antler::cluster {

/// Options of ParameterServerStrategy.
struct ParameterServerOptions {
  /// Describes the cluster. Default: TF_CONFIG, or the environment of Open MPI or Slurm.
  std::shared_ptr<const distribute::ClusterResolver> cluster_resolver = {};
  /// Divides variables along axis 0. Default: variables are not divided. It is not asked about
  /// scalars and optimizer slots; slots are divided as their variables are.
  Partitioner variable_partitioner = {};
  /// Seconds to wait for the tasks to start; without limit if not given.
  std::optional<double> start_timeout = {};
  /// See GlooOptions.
  std::optional<std::string> token = {};
  std::optional<TlsFiles> tls = {};  ///< as in GlooOptions
};

/// Asynchronous training with parameter servers (TensorFlow's `ParameterServerStrategy`, version
/// 2). The tasks "ps" hold the variables that are created in its scope, assigned in turn; an
/// optimizer's slots are in the task of their variable. The tasks "worker" run the steps that a
/// ClusterCoordinator schedules. Both kinds of task are Servers. This process is the coordinator,
/// the only one that has the user's code.
///
///     cluster::ParameterServerStrategy strategy;
///     const auto scope = strategy.scope();
///     Sequential model({...});
///     cluster::ClusterCoordinator coordinator(strategy);
///
/// A variable that the partitioner divides consists of parts `<name>/part_0`, `<name>/part_1`, ...,
/// which the tasks "ps" hold in turn (TensorFlow's `ShardedVariable`): Variable::shards(). The
/// first (rows mod parts) parts have one row more. It is read, assigned and saved as one variable.
///
/// Reading or assigning a variable outside of steps is a call to its parameter server. The server
/// computes a step's update of a variable as one atomic operation on the current value, although
/// the worker may have read an older one.
///
/// Throws ValueError without a cluster, for a cluster without "ps" or without "worker", and in a
/// process that is one of these; creating a variable throws ValueError if the partitioner's result
/// is invalid. UnavailableError and DeadlineExceededError if a parameter server cannot be reached.
///
/// For Estimators use ParameterServerStrategyV1.
class ParameterServerStrategy : public distribute::Strategy {
 public:
  explicit ParameterServerStrategy(const ParameterServerOptions& options = {});
  /// The index of the task "ps" that holds a variable. Throws ValueError for a variable that was
  /// not created in the scope of the strategy, and for a divided one: ask for its parts.
  int64_t server_of(const Variable& variable) const;
};

}  // namespace antler::cluster
