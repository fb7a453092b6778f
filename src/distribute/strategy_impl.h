#pragma once

#include "antler/core/variable_origin.h"
#include "antler/distribute/strategy.h"
#include "antler/ops/communicator.h"

namespace antler::distribute {

/// The implementation of a strategy.
class StrategyImpl : public VariableCreator {
 public:
  /// Replicas of all processes.
  virtual int64_t replicas() const = 0;
  /// Replicas of this process.
  virtual int64_t local_replicas() const { return replicas(); }
  /// The processes that train together; null for one.
  virtual ops::Communicator* workers() const { return nullptr; }
  virtual PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                         const RunOptions& options) const = 0;
};

/// Sets replica_context() of this thread for its lifetime.
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

}  // namespace antler::distribute
