#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "antler/core/tensor.h"
#include "antler/ops/collectives.h"

namespace antler::ops {

class StartedReductions;

/// Connects this process with the other processes of its group. Every process must make the same
/// calls in the same order, from one thread at a time. All calls throw UnavailableError if a peer
/// has ended or cannot be reached, and DeadlineExceededError if one did not take part in time;
/// after that, every further call throws UnavailableError.
class Communicator {
 public:
  Communicator();
  virtual ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  /// Number of this process, from 0 to size() - 1.
  virtual int64_t rank() const = 0;
  /// Number of processes in the group.
  virtual int64_t size() const = 0;
  /// Combines `count` elements of type `dtype` at `data` over all processes, in place.
  /// ReduceOp::mean needs a floating-point type.
  virtual void all_reduce(void* data, size_t count, DType dtype, ReduceOp op) = 0;
  /// An array of all_reduce_arrays(): `count` elements. `output` is `input` or does not overlap it.
  struct Array {
    const void* input;
    void* output;
    size_t count;
  };
  /// Combines several arrays of one type, in one message.
  virtual void all_reduce_arrays(std::span<const Array> arrays, DType dtype, ReduceOp op);
  /// Starts all_reduce_arrays() and returns its number, for finish_all_reduce(). The inputs are
  /// read before it returns; the outputs are not used. Collectives run in the order of the calls.
  /// The default does all of it at once.
  virtual uint64_t start_all_reduce(std::span<const Array> arrays, DType dtype, ReduceOp op);
  /// Waits for an all-reduce that was started, and writes its results to the outputs of `arrays`,
  /// which have the dtype and the counts given at its start; the inputs are not used. Throws the
  /// error of the all-reduce. Drops all that were started before it and not finished.
  virtual void finish_all_reduce(uint64_t number, std::span<const Array> arrays);
  /// Writes the blocks of all processes, in the order of their ranks, to `result`, which has size()
  /// times as many bytes as `block`. Blocks of all processes have the same size.
  virtual void all_gather(std::span<const std::byte> block, std::span<std::byte> result) = 0;
  /// Overwrites `data` with the data of process `root`.
  virtual void broadcast(std::span<std::byte> data, int64_t root) = 0;
  /// Returns when all processes have called it.
  virtual void barrier() = 0;

 private:
  std::unique_ptr<StartedReductions> started_;
};

/// The group of this process; null if it works alone.
std::shared_ptr<Communicator> communicator();
/// Connects the worker collectives of all programs to `group`; null disconnects them.
void set_communicator(std::shared_ptr<Communicator> group);

}  // namespace antler::ops
