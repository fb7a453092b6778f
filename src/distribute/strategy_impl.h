#pragma once

#include <cstdint>
#include <memory>

#include "antler/core/variable_origin.h"
#include "antler/distribute/strategy.h"
#include "antler/ops/communicator.h"
#include "distribute/remote_steps.h"

namespace antler::distribute {

class SharedVariables;

/// The implementation of a strategy.
class StrategyImpl : public VariableDistributor {
 public:
  /// Replicas in this process; replicas() counts those of all processes.
  virtual int64_t local_replicas() const { return replicas(); }
  /// The number of the first replica of this process.
  virtual int64_t first_replica() const { return 0; }
  /// The processes that train together; null if there is only one.
  virtual ops::Communicator* workers() const { return nullptr; }
  /// See ops::has_joint_statistics(). Moving means of statistics are then the same in all replicas.
  virtual bool joint_statistics() const { return false; }
  /// Whether each replica has its own value of `variable`.
  bool keeps_copies(const Variable& variable) const;
  /// Called with each batch of a program that the only replica of this strategy runs. May determine
  /// how devices divide the batch.
  virtual Nest place_batch(const Nest& batch) const { return batch; }
  virtual PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                         const RunOptions& options) const = 0;
  virtual data::InputContext input_context() const { return {1, 0, replicas()}; }
  /// The processes that run the steps of fit() and evaluate() for models made in the scope of
  /// `self`, which is this strategy; null if this process runs them.
  virtual RemoteProcesses* remote_processes(const Strategy& /*self*/) const { return nullptr; }
  /// Not null if every process of the strategy runs its own steps on variables that others hold.
  virtual const SharedVariables* shared_variables() const { return nullptr; }
  void check(const VariableOptions& options) const override;
  void assigned(const Variable& variable, const Tensor& value) const override;
  Tensor joint_change(const Variable& variable, const Tensor& change) const override;
};

/// Sets get_replica_context() of this thread for its lifetime.
class ReplicaContextScope {
 public:
  explicit ReplicaContextScope(const ReplicaContext& context);
  ~ReplicaContextScope();
  ReplicaContextScope(const ReplicaContextScope&) = delete;
  ReplicaContextScope& operator=(const ReplicaContextScope&) = delete;

 private:
  ReplicaContext context_;
  const ReplicaContext* previous_;
};

/// Leaves the replica's context for its lifetime, for work that all replicas do together.
class CrossReplicaScope {
 public:
  CrossReplicaScope();
  ~CrossReplicaScope();
  CrossReplicaScope(const CrossReplicaScope&) = delete;
  CrossReplicaScope& operator=(const CrossReplicaScope&) = delete;

 private:
  const ReplicaContext* previous_;
};

/// Whether this thread runs the function of a replica.
bool in_replica();

}  // namespace antler::distribute
