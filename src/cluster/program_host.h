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
class Closure;
class Outcome;

/// The programs of a worker, and its connections to the tasks that keep variables. Any thread may
/// call.
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
  /// Runs the steps of a closure. What it throws, and a task that cannot be reached, is told by the
  /// outcome; returns whether there was no error.
  bool run(uint64_t session, const Closure& closure, Outcome& outcome);

 private:
  struct Loaded;
  class Exchange;

  Members members_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<Loaded>> programs_;
  struct Connections;
  std::unique_ptr<Connections> connections_;
};

}  // namespace antler::cluster
