#pragma once

#include <sys/types.h>

#include <csignal>

#include "descriptor.h"
#include "launch_plan.h"

namespace antler::cli {

/// A process that was started, the leader of a process group of its own.
struct ChildProcess {
  pid_t pid = -1;
  /// What it writes; reading does not block.
  Descriptor out;
  Descriptor err;
  /// The other end of the standard input of a remote process; that of others is empty.
  Descriptor in;
};

/// Starts a process. It gets SIGKILL if this process ends before it. `signals` are those that it
/// blocks. Throws NotFoundError if there is no such program, RuntimeError if it cannot be started.
ChildProcess start_process(const ProcessPlan& plan, const sigset_t& signals);

}  // namespace antler::cli
