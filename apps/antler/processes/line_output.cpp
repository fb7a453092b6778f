#include "processes/line_output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace antler::cli {
namespace {

/// Longer lines are broken, so that a program that writes no line ends does not exhaust memory.
constexpr size_t kMaxLine = size_t{1} << 16;

bool writable(int fd) {
  pollfd poll_fd = {.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&poll_fd, 1, 0) == 1;
}

}  // namespace

void OutputQueue::flush() {
  size_t done = 0;
  // A writable pipe takes PIPE_BUF bytes without blocking.
  while (!broken_ && done < pending_.size() && writable(fd_)) {
    const size_t size = std::min<size_t>(pending_.size() - done, PIPE_BUF);
    const ssize_t count = ::write(fd_, pending_.data() + done, size);
    if (count >= 0) {
      done += static_cast<size_t>(count);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      broken_ = true;
    }
  }
  pending_.erase(0, broken_ ? pending_.size() : done);
}

LineCopier::LineCopier(Descriptor source, std::string prefix, OutputQueue& queue)
    : source_(std::move(source)), prefix_(std::move(prefix)), queue_(&queue) {}

void LineCopier::copy() {
  char buffer[1 << 14];
  const ssize_t count = ::read(source_.get(), buffer, sizeof buffer);
  if (count > 0) {
    line_.append(buffer, static_cast<size_t>(count));
    copy_lines();
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    close();
  }
}

void LineCopier::finish() {
  // A pipe holds at most 1 MiB; more comes only from a process that is still writing.
  constexpr int kReads = 64;
  pollfd poll_fd = {.fd = source_.get(), .events = POLLIN, .revents = 0};
  for (int i = 0; i < kReads && source_.open() && ::poll(&poll_fd, 1, 0) == 1; ++i) copy();
  if (source_.open()) close();
}

void LineCopier::copy_lines() {
  size_t begin = 0;
  for (size_t end = 0; (end = line_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    queue_->add(prefix_);
    queue_->add(std::string_view(line_).substr(begin, end + 1 - begin));
  }
  line_.erase(0, begin);
  if (line_.size() > kMaxLine) {
    line_ += '\n';
    copy_lines();
  }
}

void LineCopier::close() {
  if (!line_.empty()) {
    line_ += '\n';
    copy_lines();
  }
  source_.close();
}

}  // namespace antler::cli
