#pragma once

#include <csignal>
#include <optional>

#include "common/descriptor.h"

namespace antler::cli {

/// While it lives, SIGINT, SIGTERM, SIGHUP (unless they are ignored, as nohup does) and SIGCHLD do
/// not interrupt this process but are delivered through a descriptor, and SIGPIPE is ignored. For a
/// process that waits for its children.
class SignalQueue {
 public:
  /// Throws RuntimeError if the system has no descriptor left.
  SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue();
  /// Readable if a signal has arrived.
  int fd() const { return fd_.get(); }
  /// The signal mask of this process before.
  const sigset_t& before() const { return before_; }
  /// The next signal that has arrived; does not wait.
  std::optional<int> next() const;

 private:
  sigset_t before_ = {};
  Descriptor fd_;
  void (*pipe_before_)(int) = SIG_DFL;
};

}  // namespace antler::cli
