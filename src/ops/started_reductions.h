#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "antler/ops/communicator.h"

namespace antler::ops {

/// Packs the inputs of arrays into `storage`, which grows if necessary, and returns the packed
/// bytes. `width`: bytes per element.
std::span<std::byte> pack_arrays(std::span<const Communicator::Array> arrays, size_t width,
                                 std::vector<std::byte>& storage);
/// Unpacks the bytes into the outputs.
void unpack_arrays(std::span<const std::byte> message, std::span<const Communicator::Array> arrays,
                   size_t width);

/// All-reduces of a communicator. One call starts an all-reduce and another finishes it. They own
/// their memory, so a caller may fail between the two calls. Not thread-safe.
class StartedReductions {
 public:
  /// An all-reduce in place.
  using Reduce = std::function<void(void* data, size_t count, DType dtype, ReduceOp op)>;
  enum class When : uint8_t {
    at_once,        ///< in start()
    in_background,  ///< by a thread, in order
  };
  StartedReductions(When when, Reduce reduce);
  /// Waits for the running all-reduce; later ones are dropped.
  ~StartedReductions();
  StartedReductions(const StartedReductions&) = delete;
  StartedReductions& operator=(const StartedReductions&) = delete;

  /// See Communicator::start_all_reduce() and finish_all_reduce().
  uint64_t start(std::span<const Communicator::Array> arrays, DType dtype, ReduceOp op);
  void finish(uint64_t number, std::span<const Communicator::Array> arrays);
  /// Waits until all are done.
  void wait();
  /// Whether any is running or queued.
  bool is_busy();

 private:
  struct Reduction {
    uint64_t number = 0;
    DType dtype = DType::float32;
    ReduceOp op = ReduceOp::sum;
    std::vector<std::byte> storage = {};
    std::span<std::byte> message = {};  ///< in `storage`
    bool is_done = false;
    std::exception_ptr error = {};
  };
  void run(Reduction& reduction) const;
  void run_all();

  const When when_;
  const Reduce reduce_;
  uint64_t starts_ = 0;
  /// Memory of finished all-reduces, for reuse: each step starts the same ones again.
  std::deque<std::vector<std::byte>> spare_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::deque<std::shared_ptr<Reduction>> started_;  ///< not finished yet
  std::deque<std::shared_ptr<Reduction>> queue_;    ///< for the thread; the first one is running
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace antler::ops
