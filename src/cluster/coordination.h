#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "antler/cluster/cluster_coordinator.h"
#include "cluster/closure_queue.h"
#include "cluster/remote_program.h"
#include "cluster/worker_link.h"

namespace antler::cluster {

/// The state that all coordinators of a strategy share. It runs the steps of fit() as well.
class Coordination final : public distribute::RemoteProcesses {
 public:
  Coordination(const distribute::Strategy& strategy, const ParameterServers& servers);
  ~Coordination() override;
  Coordination(const Coordination&) = delete;
  Coordination& operator=(const Coordination&) = delete;

  RemoteValue schedule(const Function& function, std::vector<ScheduleArgument> arguments);
  ClosureQueue& queue() { return queue_; }
  void prepare(const Function& function, const Nest& example) override;
  void schedule(const Function& function, std::vector<Nest> batches) override;
  void schedule_result(const Function& function, Nest batch) override;
  std::vector<Nest> take_results() override;
  void join() override;
  int64_t num_workers() const { return static_cast<int64_t>(links_.size()); }
  /// Whether the calling thread serves a worker.
  bool runs_here() const;

 private:
  void put_batches(const Function& function, std::vector<Nest> batches,
                   const std::shared_ptr<RemoteValue::State>& result);

  RemotePrograms programs_;
  ServerFailures failures_;
  ClosureQueue queue_;
  std::deque<std::shared_ptr<RemoteValue::State>> results_;  ///< for take_results()
  std::vector<std::unique_ptr<WorkerLink>> links_;
};

}  // namespace antler::cluster
