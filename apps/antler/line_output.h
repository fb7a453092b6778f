#pragma once

#include <string>
#include <string_view>

#include "descriptor.h"

namespace antler::cli {

/// Text on its way to the standard output or error. Writing never blocks, so that signals are
/// served even if nobody reads, as behind a stopped pager.
class OutputQueue {
 public:
  explicit OutputQueue(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  void add(std::string_view text) { pending_ += text; }
  bool empty() const { return pending_.empty(); }
  /// So much waits that no more should be read.
  bool full() const { return pending_.size() > size_t{1} << 18; }
  /// Nobody will ever read, or the disk is full. Text is dropped from then on.
  bool broken() const { return broken_; }
  /// Writes what can be written now.
  void flush();

 private:
  int fd_;
  std::string pending_;
  bool broken_ = false;
};

/// Copies what a process writes, line by line, each behind a prefix.
class LineCopier {
 public:
  /// `queue` must outlive this. The descriptor must not block.
  LineCopier(Descriptor source, std::string prefix, OutputQueue& queue);
  const Descriptor& source() const { return source_; }
  OutputQueue& queue() { return *queue_; }
  /// Copies what is there; at the end of the file it closes the source, and completes a last line
  /// that has no end.
  void copy();
  /// Copies what is there and closes the source, whoever else still has it.
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
