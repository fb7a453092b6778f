#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>

#include "common/descriptor.h"
#include "processes/launch_plan.h"

namespace antler::cli {

/// A child process, which leads its own process group.
struct ChildProcess {
  pid_t pid = -1;
  /// Its output; reading does not block.
  Descriptor out;
  Descriptor err;
  /// Writes to the standard input of a remote process; empty for a local one.
  Descriptor in;
};

/// Starts a process, which gets SIGKILL if this process ends first. `signals` becomes its signal
/// mask. Throws NotFoundError if the program does not exist, RuntimeError if it cannot be started.
ChildProcess start_process(const ProcessPlan& plan, const sigset_t& signals);

/// What waitpid() reported: "exit code 3" or "signal 9 (Killed)".
std::string describe_status(int status);
/// The same as a shell's exit code: 128 + the number of a signal.
int exit_code(int status);

}  // namespace antler::cli
