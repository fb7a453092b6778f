#include "processes/signal_queue.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "antler/base/error.h"

namespace antler::cli {

SignalQueue::SignalQueue() {
  ::signal(SIGCHLD, SIG_DFL);  // if it were ignored, exit statuses would be lost
  sigset_t served;
  sigemptyset(&served);
  sigaddset(&served, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&served, signal);  // nohup ignores SIGHUP
  }
  ::sigprocmask(SIG_BLOCK, &served, &before_);
  fd_ = Descriptor(::signalfd(-1, &served, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_.open()) throw RuntimeError("Cannot wait for signals.");
  pipe_before_ = ::signal(SIGPIPE, SIG_IGN);
}

SignalQueue::~SignalQueue() {
  ::signal(SIGPIPE, pipe_before_);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> SignalQueue::next() const {
  signalfd_siginfo info = {};
  if (::read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return {};
  return static_cast<int>(info.ssi_signo);
}

}  // namespace antler::cli
