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

/// Sums and broadcasts of processes that run on one machine, through memory that they share: no
/// system calls while all take part.
///
/// The arrays of a message count as one, which is done in chunks. Each process writes its chunk to
/// its own area. Two processes then combine both areas, each for itself; of more, process r
/// combines segment r of all areas, and each copies the others' results. Values are combined in the
/// order of the ranks, so all have the same bits. Chunks take turns in two areas: who writes the
/// next chunk disturbs nobody who still reads the last one. A process announces that it is done
/// with a part by its counter, on which the others wait: first in a loop, then asleep.
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
  /// Overwrites `data` with that of process `root`. Throws as all_reduce() does.
  void broadcast(std::span<std::byte> data, int64_t root, uint64_t call, double seconds);
  /// Makes all calls throw, those that wait and later ones, in all processes. Any thread may call
  /// it.
  void abandon();

 private:
  struct Process;
  struct Memory;
  struct Piece;
  LocalGroup(int64_t rank, int64_t size) : rank_(rank), size_(size) {}
  /// Whether this process has the memory that process 0 made.
  bool share(ops::Communicator& group);
  bool watch_others();
  /// Announces that this process has done another part, and waits until all have.
  void meet(double seconds);
  /// Where a process has its part of the present chunk.
  std::byte* area(int64_t rank);
  /// Writes the result of a part of an array to its output.
  void combine(const Piece& piece, DType dtype, ops::ReduceOp op);
  /// Each process combines a segment of the chunk, and copies the others.
  template <class Visit>
  void exchange_segments(size_t size, DType dtype, ops::ReduceOp op, double seconds,
                         const Visit& visit);
  void check_call(uint64_t call);
  void wait_for(Process& process, uint32_t part, double seconds);
  /// Throws if the group is lost.
  void check_group();

  int64_t rank_;
  int64_t size_;
  Memory* memory_ = nullptr;
  uint32_t part_ = 0;        ///< of this process
  size_t chunk_ = 0;         ///< number of the present chunk, of all calls
  std::vector<int> others_;  ///< descriptors of their processes
};

}  // namespace antler::cluster
