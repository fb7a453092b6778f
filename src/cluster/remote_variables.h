#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "antler/core/variable.h"
#include "cluster/members.h"

namespace antler::cluster {

class ServerClient;

/// The variables of a coordinator that other tasks hold. Thread-safe.
class RemoteVariables {
 public:
  /// Waits until all `tasks`, given by their positions in the list of members, have started. Throws
  /// DeadlineExceededError after `seconds`; without a value there is no limit.
  RemoteVariables(const Members& members, std::vector<int64_t> tasks, uint64_t session,
                  std::optional<double> seconds);
  ~RemoteVariables();
  RemoteVariables(const RemoteVariables&) = delete;
  RemoteVariables& operator=(const RemoteVariables&) = delete;

  /// Adds a new variable: in the task of `colocated` if that is defined, otherwise in the tasks in
  /// turn. Its value is sent when the task needs it. If a variable is divided afterwards, only its
  /// parts are stored.
  void add(const Variable& variable, const Variable& colocated);
  /// Skips this many turns.
  void skip(size_t turns);
  void refresh(const Variable& variable);
  void publish(const Variable& variable);
  void drop(uint64_t id);
  /// Sends the values of new variables.
  void flush();
  /// The place of the variable's task in the list of members. Throws ValueError for a variable that
  /// was not created in the scope of the strategy.
  int64_t task_of(const Variable& variable);
  /// Identifies the process that currently runs the task.
  uint64_t incarnation(int64_t task) const;
  /// Sends a task its share of a program.
  void add_share(int64_t task, const class AddShareRequest& request);

 private:
  const ServerClient& task(int64_t member) const { return *tasks_.at(member); }
  struct New {
    Variable variable;
    Variable colocated;
  };
  /// Assigns new variables to tasks. Requires the lock. Handles in `released` must be destroyed
  /// without the lock, because the last handle of a variable calls drop().
  void settle(Variables& released);
  /// Whether its value has not been sent yet. Requires the lock.
  bool is_here(const Variable& variable) const;
  /// Requires the lock.
  int64_t place_of(const Variable& variable) const;

  const Members members_;
  const uint64_t session_;
  std::map<int64_t, std::unique_ptr<ServerClient>> tasks_;
  std::vector<int64_t> order_;
  std::mutex mutex_;
  size_t next_ = 0;
  std::unordered_map<uint64_t, int64_t> places_;
  std::vector<New> new_;
  /// Assigned variables by task, kept alive until their values are sent.
  std::map<int64_t, Variables> pending_;
};

}  // namespace antler::cluster
