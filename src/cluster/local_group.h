#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "antler/core/dtype.h"
#include "antler/ops/collectives.h"
#include "antler/ops/communicator.h"

namespace antler::cluster {

/// Sums of processes that run on one machine, through memory that they share: no system calls while
/// all take part, and every value is moved twice.
///
/// The arrays of a message count as one, which is done in chunks. Each process writes its chunk to
/// its own area; process r combines segment r of all areas, in the order of the ranks, into the
/// area of results; then each process copies the results. A process announces that it is done with
/// a part by its counter, on which the others wait: first in a loop, then asleep.
class LocalGroup {
 public:
  /// Called by all processes of `group` together. Null in all of them if they cannot share memory:
  /// they are on several machines, or of different users or containers.
  static std::unique_ptr<LocalGroup> make(ops::Communicator& group);
  ~LocalGroup();
  LocalGroup(const LocalGroup&) = delete;
  LocalGroup& operator=(const LocalGroup&) = delete;

  using Array = ops::Communicator::Array;
  /// Combines arrays over all processes. `call` identifies the call and must be the same
  /// everywhere. Throws std::runtime_error: "Timed out" if a process makes no progress for
  /// `seconds`, and otherwise if one makes another call, has ended or abandoned the group.
  void all_reduce(std::span<const Array> arrays, DType dtype, ops::ReduceOp op, uint64_t call,
                  double seconds);
  /// Makes all calls throw, those that wait and later ones, in all processes. Any thread may call
  /// it.
  void abandon();

 private:
  struct Process;
  struct Memory;
  LocalGroup(int64_t rank, int64_t size) : rank_(rank), size_(size) {}
  /// Whether this process has the memory that process 0 made.
  bool share(ops::Communicator& group);
  bool watch_others();
  /// Announces that this process has done another part, and waits until all have.
  void meet(double seconds);
  /// Combines a part of an array, as `bytes` bytes at `offset` of a chunk.
  void combine(const std::byte* input, std::byte* output, size_t offset, size_t bytes, DType dtype,
               ops::ReduceOp op);
  void check_call(uint64_t call);
  void wait_for(Process& process, uint32_t part, double seconds);
  /// Throws if the group is lost.
  void check_group();

  int64_t rank_;
  int64_t size_;
  Memory* memory_ = nullptr;
  uint32_t part_ = 0;        ///< of this process
  std::vector<int> others_;  ///< descriptors of their processes
};

}  // namespace antler::cluster
