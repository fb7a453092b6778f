#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "antler/cluster/cluster_coordinator.h"
#include "cluster/closure_queue.h"
#include "cluster/remote_program.h"
#include "cluster/worker_link.h"

namespace antler::cluster {

/// What the coordinators of a strategy share.
class Coordination {
 public:
  Coordination(const distribute::Strategy& strategy, const ParameterServers& servers);
  ~Coordination();
  Coordination(const Coordination&) = delete;
  Coordination& operator=(const Coordination&) = delete;

  /// `steps`: how many elements of its iterators the function is called with.
  RemoteValue schedule(const Function& function, std::vector<ScheduleArgument> arguments,
                       int64_t steps = 1);
  ClosureQueue& queue() { return queue_; }
  int64_t num_workers() const { return static_cast<int64_t>(links_.size()); }

 private:
  const distribute::Strategy strategy_;  // keeps the servers alive
  RemotePrograms programs_;
  ServerFailures failures_;
  ClosureQueue queue_;
  std::vector<std::unique_ptr<WorkerLink>> links_;
};

}  // namespace antler::cluster
