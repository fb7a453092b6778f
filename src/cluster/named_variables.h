#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "antler/core/variable.h"
#include "cluster/members.h"
#include "cluster/server_client.h"

namespace antler::cluster {

/// The variables that the processes of a job share. The tasks "ps" hold them by name. Thread-safe.
class NamedVariables {
 public:
  using Named = std::vector<std::pair<std::string, Variable>>;
  /// Where a variable is: a position in the list of members, and the variable's id there.
  struct Place {
    int64_t task = 0;
    uint64_t id = 0;
  };

  /// `tasks` are positions in the list of members. `start_timeout`: seconds to wait for them to
  /// start; without a value there is no limit.
  NamedVariables(const Members& members, const std::vector<int64_t>& tasks,
                 std::optional<double> start_timeout);

  /// Remembers that `variable` must be where `colocated` is.
  void colocate(const Variable& variable, const Variable& colocated);
  /// Assigns the variables to the tasks in turn, or to the task of the variable with which they are
  /// colocated, and sends their values.
  void create(const Named& variables);
  /// Waits until another process has created them.
  void find(const Named& variables, double seconds);
  /// Keeps all variables in this process until the next create() or find(). Programs made before
  /// must not run again.
  void release();
  /// None for a variable that stays in this process.
  std::optional<Place> place_of(const Variable& variable);
  /// These do nothing for variables that stay in this process.
  void refresh(const Variable& variable);
  void publish(const Variable& variable);
  void forget(uint64_t id);

  /// The same in all processes of a job.
  uint64_t session() const { return session_; }
  const ServerClient& task(int64_t member) const { return *tasks_.at(member); }
  /// A number for a program of this process. Another process that takes its place uses the same
  /// numbers, so that it replaces what the lost process left behind.
  uint64_t next_program();

 private:
  void connect();
  DescribeReply described(int64_t member, const Named& variables) const;
  /// The tasks, those that hold some of the variables first.
  std::vector<int64_t> holders_first(const Named& variables) const;
  /// The current place of each of these variables; nullopt if no task holds it.
  std::vector<std::optional<Place>> places_now(const Named& variables);
  void set_places(const Named& variables, const std::vector<Place>& places);

  const Members members_;
  const uint64_t session_;
  const std::optional<double> start_timeout_;
  std::map<int64_t, std::unique_ptr<ServerClient>> tasks_;
  std::vector<int64_t> order_;
  std::mutex mutex_;  ///< guards the members below
  std::unordered_map<uint64_t, Place> places_;
  std::unordered_map<uint64_t, uint64_t> colocated_;
  uint64_t programs_ = 0;
};

}  // namespace antler::cluster
