#pragma once

#include <csignal>
#include <optional>

#include "common/descriptor.h"

namespace antler::cli {

/// For a process that waits for its children. While an object of this class exists, SIGINT,
/// SIGTERM, SIGHUP (unless ignored, as under nohup) and SIGCHLD do not interrupt this process but
/// are delivered through a descriptor, and SIGPIPE is ignored.
class SignalQueue {
 public:
  /// Throws RuntimeError if the system has no descriptor left.
  SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue();
  /// Readable if a signal has arrived.
  int fd() const { return fd_.get(); }
  /// The signal mask that this process had before.
  const sigset_t& before() const { return before_; }
  /// The next signal that has arrived; does not wait.
  std::optional<int> next() const;

 private:
  sigset_t before_ = {};
  Descriptor fd_;
  void (*pipe_before_)(int) = SIG_DFL;
};

}  // namespace antler::cli
