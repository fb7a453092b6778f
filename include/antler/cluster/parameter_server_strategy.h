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

struct ParameterServerOptions {
  /// Describes the cluster. Not given: TF_CONFIG, Open MPI's or Slurm's environment.
  std::shared_ptr<const distribute::ClusterResolver> cluster_resolver = {};
  /// Divides variables along axis 0; not given: each is whole. Not asked about scalars and about
  /// optimizer slots, which are divided as their variables are.
  Partitioner variable_partitioner = {};
  /// Seconds to wait for the tasks to start; without limit if not given.
  std::optional<double> start_timeout = {};
  /// See GlooOptions.
  std::optional<std::string> token = {};
  std::optional<TlsFiles> tls = {};
};

/// Asynchronous training with parameter servers (TensorFlow's `ParameterServerStrategy`, version
/// 2). The tasks "ps" keep the variables that are made in its scope, in turn by the order of their
/// creation; an optimizer's slots stand beside their variable. The tasks "worker" run the steps
/// that a ClusterCoordinator gives them. Both are Servers. This process is the coordinator, the
/// only one with code of the user's.
///
///     cluster::ParameterServerStrategy strategy;
///     const auto scope = strategy.scope();
///     Sequential model({...});
///     cluster::ClusterCoordinator coordinator(strategy);
///
/// A variable that the partitioner divides is made of parts `<name>/part_0`, `<name>/part_1`, ...,
/// which the tasks "ps" keep in turn (TensorFlow's `ShardedVariable`): Variable::shards(). The
/// first (rows mod parts) parts have one row more. It is read, assigned and saved as one variable.
///
/// Reads and assignments of a variable outside of steps ask its parameter server. The update of a
/// variable by a step is computed there as one operation, from its value at that time; a worker may
/// have read older ones.
///
/// Throws ValueError without a cluster, for a cluster without "ps" or without "worker", and in a
/// process that is one of these; making a variable throws ValueError if the partitioner's result is
/// not as it should be. UnavailableError and DeadlineExceededError if a parameter server
/// cannot be reached.
class ParameterServerStrategy : public distribute::Strategy {
 public:
  explicit ParameterServerStrategy(const ParameterServerOptions& options = {});
  /// The index of the task "ps" that keeps a variable. Throws ValueError for one that was not made
  /// in the scope of the strategy, and for one that is divided: ask for its parts.
  int64_t server_of(const Variable& variable) const;
};

}  // namespace antler::cluster
