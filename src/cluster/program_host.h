#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/members.h"

namespace antler::cluster {

class AddProgramRequest;
class RunRequest;
class RunReply;

/// The programs of a worker, and its connections to the tasks that hold variables. Thread-safe.
class ProgramHost {
 public:
  explicit ProgramHost(const Members& members);
  ~ProgramHost();
  ProgramHost(const ProgramHost&) = delete;
  ProgramHost& operator=(const ProgramHost&) = delete;

  /// Drops all programs.
  void clear();
  /// Throws ValueError for an invalid program.
  void add(const AddProgramRequest& request);
  /// Runs the steps of closures up to the first that fails. An error of a step, or a task that
  /// cannot be reached, is reported in the closure's outcome.
  void run(const RunRequest& request, RunReply& reply);

 private:
  struct Loaded;
  class Exchange;
  std::shared_ptr<Loaded> find(uint64_t program);

  Members members_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<Loaded>> programs_;
  struct Connections;
  std::unique_ptr<Connections> connections_;
};

}  // namespace antler::cluster
