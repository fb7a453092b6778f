#pragma once

#include <memory>
#include <string>

#include "distribute/strategy_impl.h"

namespace antler::distribute {

/// Synchronous training on the replicas of this process and, with a communicator, of all processes
/// of its group. Each process runs the same program on its own rows of the global batch; variables
/// start with the values of process 0.
class ReplicatedStrategy final : public StrategyImpl {
 public:
  ReplicatedStrategy(int64_t local_replicas, std::shared_ptr<ops::Communicator> workers)
      : local_(local_replicas), workers_(std::move(workers)) {}

  int64_t replicas() const override { return local_ * worker_count(); }
  int64_t local_replicas() const override { return local_; }
  ops::Communicator* workers() const override { return workers_.get(); }
  void on_create(const std::string& name, Tensor& initial) const override;
  PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                 const RunOptions& options) const override;

 private:
  int64_t worker_count() const { return workers_ == nullptr ? 1 : workers_->size(); }
  int64_t first_replica() const { return workers_ == nullptr ? 0 : workers_->rank() * local_; }
  /// Replicas of all workers that have some of `global_rows` rows.
  int64_t active_replicas(int64_t global_rows) const;

  int64_t local_;
  std::shared_ptr<ops::Communicator> workers_;
};

}  // namespace antler::distribute
