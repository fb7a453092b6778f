#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "antler/core/dtype.h"
#include "antler/ops/collectives.h"
#include "antler/ops/communicator.h"

namespace antler::cluster {

/// All-reduce and broadcast among processes on one machine, through shared memory. Makes no system
/// calls unless a process has to wait long.
///
/// The arrays of a message are treated as one array, which is processed in chunks. Each process
/// copies its chunk to its own area. With two processes, each then combines both areas itself; with
/// more, process r combines segment r of all areas, and everybody copies the others' results.
/// Values are combined in the order of the ranks, so all processes get the same bits. Each process
/// has two areas that it uses alternately: writing the next chunk does not disturb processes that
/// still read the previous one. A process increments its counter when it has completed a part; the
/// others wait for that, first spinning, then asleep.
class LocalGroup {
 public:
  /// Called by all processes of `group` together. Returns null in all of them if they cannot share
  /// memory because they are on several machines, or belong to different users or containers.
  static std::unique_ptr<LocalGroup> make(ops::Communicator& group);
  ~LocalGroup();
  LocalGroup(const LocalGroup&) = delete;
  LocalGroup& operator=(const LocalGroup&) = delete;

  using Array = ops::Communicator::Array;
  /// Combines arrays over all processes. `call` identifies the call and must be the same
  /// everywhere. Throws std::runtime_error: "Timed out" if a process makes no progress for
  /// `seconds`, and other messages if a process makes a different call, has ended or has abandoned
  /// the group.
  void all_reduce(std::span<const Array> arrays, DType dtype, ops::ReduceOp op, uint64_t call,
                  double seconds);
  /// Overwrites `data` with the data of process `root`. Throws as all_reduce() does.
  void broadcast(std::span<std::byte> data, int64_t root, uint64_t call, double seconds);
  /// Makes waiting and later calls in all processes throw. Thread-safe.
  void abandon();
  /// The ranks of the processes that have ended, and of the first one that has abandoned the group.
  std::set<int64_t> gone() const;

 private:
  struct Process;
  struct Memory;
  struct Piece;
  LocalGroup(int64_t rank, int64_t size) : rank_(rank), size_(size) {}
  /// Maps the memory that process 0 made. Returns whether that succeeded.
  bool share(ops::Communicator& group);
  bool watch_others();
  /// A barrier: announces that this process has completed another part, and waits until all have.
  void meet(double seconds);
  /// The area of a process for the current chunk.
  std::byte* area(int64_t rank);
  /// Writes the result of a part of an array to its output.
  void combine(const Piece& piece, DType dtype, ops::ReduceOp op);
  /// Each process combines one segment of the chunk and copies the others.
  template <class Visit>
  void exchange_segments(size_t size, DType dtype, ops::ReduceOp op, double seconds,
                         const Visit& visit);
  void check_call(uint64_t call);
  void wait_for(Process& process, uint32_t part, double seconds);
  /// Why the group is lost; null if it is not.
  const char* find_loss() const;

  int64_t rank_;
  int64_t size_;
  Memory* memory_ = nullptr;
  uint32_t part_ = 0;        ///< of this process
  size_t chunk_ = 0;         ///< number of the current chunk, counted over all calls
  std::vector<int> others_;  ///< descriptors of their processes, in the order of their ranks
};

}  // namespace antler::cluster
