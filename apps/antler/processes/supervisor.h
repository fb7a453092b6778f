#pragma once

#include <cstdint>
#include <vector>

#include "processes/launch_plan.h"

namespace antler::cli {

struct SupervisorOptions {
  /// How many times each process is restarted after a failure.
  int64_t restarts = 0;
  /// Seconds between SIGTERM and SIGKILL.
  int64_t grace = 10;
};

/// Runs processes until all have ended. Copies their output to stdout and stderr, each line
/// prefixed with the process's name. When a process fails without a restart left, a process that
/// leads ends, or only processes that serve are left, all others get SIGTERM, and SIGKILL after the
/// grace time. The same happens, to everything they started as well, when this process gets SIGTERM
/// or SIGHUP. SIGINT is passed on. A second signal, at least a second later, kills them at once.
///
/// Returns 0 if all succeeded, otherwise the exit code of the first that failed for good: 128 + the
/// signal for a process that a signal ended, and if this process got a signal. Throws what
/// start_process() throws, and IOError if the output cannot be written; no process keeps running
/// then.
int supervise(std::vector<ProcessPlan> plans, const SupervisorOptions& options);

}  // namespace antler::cli
