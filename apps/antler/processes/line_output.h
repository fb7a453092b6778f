#pragma once

#include <string>
#include <string_view>

#include "common/descriptor.h"

namespace antler::cli {

/// Buffers output to stdout or stderr. Writing never blocks, so that signals are handled even if
/// nobody reads, for example because a pager is stopped.
class OutputQueue {
 public:
  explicit OutputQueue(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  void add(std::string_view text) { pending_ += text; }
  bool empty() const { return pending_.empty(); }
  /// Whether so much is buffered that no more should be read.
  bool full() const { return pending_.size() > size_t{1} << 18; }
  /// Whether writing has failed for good: the reader is gone or the disk is full. All output is
  /// dropped from then on.
  bool broken() const { return broken_; }
  /// Writes as much as possible without blocking.
  void flush();

 private:
  int fd_;
  std::string pending_;
  bool broken_ = false;
};

/// Copies the output of a process line by line, and puts a prefix in front of each line.
class LineCopier {
 public:
  /// `queue` must outlive this. The descriptor must not block.
  LineCopier(Descriptor source, std::string prefix, OutputQueue& queue);
  const Descriptor& source() const { return source_; }
  OutputQueue& queue() { return *queue_; }
  /// Copies the available output. At the end of the file it closes the source and completes an
  /// unfinished last line.
  void copy();
  /// Copies the available output and closes the source, even if other processes still hold it open.
  void finish();

 private:
  void copy_lines();
  void close();

  Descriptor source_;
  std::string prefix_;
  OutputQueue* queue_;
  std::string line_;
};

}  // namespace antler::cli
