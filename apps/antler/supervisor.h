#pragma once

#include <cstdint>
#include <vector>

#include "launch_plan.h"

namespace antler::cli {

struct SupervisorOptions {
  /// How often each process is started again when it has failed.
  int64_t restarts = 0;
  /// Seconds between the request to end and SIGKILL.
  int64_t grace = 10;
};

/// Runs processes until all have ended, and copies their output to the standard output and error,
/// each line behind the process's name. When one fails and has no restart left, or one that leads
/// ends, all others get SIGTERM, and SIGKILL after the grace time. So they do, together with what
/// they started, when this process gets SIGTERM or SIGHUP; SIGINT is passed on as it is. A
/// further signal, a second later, kills them at once.
///
/// Returns 0 if all succeeded, else the exit code of the first that failed for good; for a process
/// that a signal ended, and if this process got one, 128 + the signal. Throws what start_process()
/// throws, and IOError if the output cannot be written; nothing runs on then.
int supervise(std::vector<ProcessPlan> plans, const SupervisorOptions& options);

}  // namespace antler::cli
