#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "antler/data/data_source.h"
#include "antler/ops/worker_collectives.h"
#include "distribute/replica_merge.h"
#include "distribute/strategy_impl.h"

namespace antler::distribute {

/// Synchronous training on the replicas of this process and, with a communicator, of all processes
/// of its group. Each process runs the same program on its own rows of the global batch; variables
/// start with the values of process 0.
class ReplicatedStrategy : public StrategyImpl {
 public:
  ReplicatedStrategy(int64_t local_replicas, UnevenBatches uneven,
                     std::shared_ptr<ops::Communicator> workers = nullptr,
                     const ops::GradientMessages& messages = {})
      : local_(local_replicas),
        uneven_(uneven),
        workers_(std::move(workers)),
        messages_(messages) {}

  int64_t replicas() const override { return local_ * worker_count(); }
  int64_t local_replicas() const override { return local_; }
  int64_t first_replica() const override { return rank() * local_; }
  ops::Communicator* workers() const override { return workers_.get(); }
  data::InputContext input_context() const override { return {worker_count(), rank(), replicas()}; }
  void initialize(Tensor& value) const override;
  PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                 const RunOptions& options) const override;

 protected:
  /// Whether each replica uses its own device, if there are several devices.
  virtual bool has_device_per_replica() const { return true; }

 private:
  int64_t worker_count() const { return workers_ == nullptr ? 1 : workers_->size(); }
  int64_t rank() const { return workers_ == nullptr ? 0 : workers_->rank(); }
  /// The number of replicas, over all workers, that get rows of `batch`. The batch has
  /// `global_rows` rows.
  int64_t active_replicas(const WorkerBatch& batch, int64_t global_rows) const;

  /// Whether the replicas may run as a program of several devices. It is one node, and a tape
  /// around run() could not look into it.
  bool may_use_devices(const PerReplica& arguments) const;
  /// Emits the functions of replicas as one program of several devices, if they form one.
  std::optional<PerReplica> emit_on_devices(const std::vector<ReplicaTrace>& traces) const;

  int64_t local_;
  UnevenBatches uneven_;
  std::shared_ptr<ops::Communicator> workers_;
  ops::GradientMessages messages_;
};

}  // namespace antler::distribute
