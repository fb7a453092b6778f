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
class DatasetHost;
struct LoadedProgram;

/// The programs of a worker, and its connections to the tasks that hold variables. Thread-safe.
class ProgramHost {
 public:
  ProgramHost(const Members& members, DatasetHost& datasets);
  ~ProgramHost();
  ProgramHost(const ProgramHost&) = delete;
  ProgramHost& operator=(const ProgramHost&) = delete;

  /// Drops all programs.
  void clear();
  /// Throws ValueError for an invalid program.
  void add(const AddProgramRequest& request);
  /// Runs the steps of closures, up to the first that fails. An error of a step, an unreachable
  /// task, or an element that does not match the program is reported in the closure's outcome.
  void run(const RunRequest& request, RunReply& reply);

 private:
  std::shared_ptr<LoadedProgram> find(uint64_t program);

  Members members_;
  DatasetHost& datasets_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<LoadedProgram>> programs_;
  struct Connections;
  std::unique_ptr<Connections> connections_;
};

}  // namespace antler::cluster
