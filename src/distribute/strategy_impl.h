#pragma once

#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// The implementation of a strategy.
class StrategyImpl {
 public:
  virtual ~StrategyImpl() = default;
  virtual int64_t replicas() const = 0;
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
