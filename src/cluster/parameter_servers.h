#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "antler/cluster/parameter_server_strategy.h"
#include "cluster/members.h"
#include "cluster/remote_variables.h"
#include "distribute/strategy_impl.h"

namespace antler::cluster {

class Coordination;

/// The implementation of ParameterServerStrategy.
class ParameterServers final : public distribute::StrategyImpl {
 public:
  /// `workers` and `servers` are places in the list of members.
  ParameterServers(Members members, std::vector<int64_t> workers, std::vector<int64_t> servers,
                   const ParameterServerOptions& options);
  ~ParameterServers() override;
  /// Deletes `servers`, in another thread if the deletion would wait for the calling thread.
  static void destroy(const ParameterServers* servers);

  int64_t replicas() const override { return 1; }
  distribute::PerReplica run(const distribute::ReplicaFunction& function,
                             const distribute::PerReplica& arguments,
                             const distribute::RunOptions& options) const override;
  distribute::RemoteProcesses* remote_processes(const distribute::Strategy& self) const override;
  bool is_remote() const override { return true; }
  void created(const Variable& variable, const Variable& colocated) const override;
  void model_created() const override { variables_.skip(kCountersOfModel); }
  void refresh(const Variable& variable) const override { variables_.refresh(variable); }
  void publish(const Variable& variable) const override { variables_.publish(variable); }
  void destroyed(uint64_t id) const override { variables_.drop(id); }

  const Members& members() const { return members_; }
  const std::vector<int64_t>& worker_tasks() const { return workers_; }
  const std::vector<int64_t>& server_tasks() const { return servers_; }
  uint64_t session() const { return session_; }
  RemoteVariables& variables() const { return variables_; }
  /// Runs steps on the workers; created on the first call.
  Coordination& coordination(const distribute::Strategy& self) const;

 private:
  /// Keras's `_train_counter`, `_test_counter` and `_predict_counter` are variables; here they are
  /// plain numbers.
  static constexpr size_t kCountersOfModel = 3;

  const Members members_;
  const std::vector<int64_t> workers_;
  const std::vector<int64_t> servers_;
  const Partitioner partitioner_;
  const uint64_t session_;
  mutable RemoteVariables variables_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Coordination> coordination_;
};

}  // namespace antler::cluster
