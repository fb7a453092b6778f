#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "antler/cluster/cluster_coordinator.h"

namespace antler::cluster {

/// A function scheduled to run on a worker.
struct ScheduledClosure {
  Function function;
  std::vector<ScheduleArgument> arguments;
  /// The arguments of several steps; if not empty, used instead of `arguments`.
  std::vector<Nest> batches;
  std::shared_ptr<RemoteValue::State> result;
};
using ClosurePtr = std::shared_ptr<ScheduledClosure>;

/// The closures that wait for a worker, and a count of those that are running. Thread-safe.
///
/// The first error of a closure cancels those that wait. Once no closure is running, the next
/// put(), wait() or done() throws the error, and the queue can be used again.
class ClosureQueue {
 public:
  static constexpr size_t kCapacity = 262144;
  /// Blocks while `most` closures wait. Cancels the closure after stop().
  void put(ClosurePtr closure, size_t most = kCapacity);
  /// Takes up to `most` closures, but at most a fair share when `workers` take from the queue.
  /// Blocks while the queue is empty; returns none after stop().
  std::vector<ClosurePtr> take(size_t most, size_t workers);
  /// Each closure that was taken must be passed to one of the next three functions.
  void finish(const ClosurePtr& closure, Nest value);
  void fail(const ClosurePtr& closure, const std::exception_ptr& error);
  /// The worker was lost: another one will take the closure. Cancelled if there is an error.
  void put_back(const ClosurePtr& closure);
  /// Blocks until all closures are done.
  void wait();
  bool done();
  /// Cancels waiting closures and releases all blocked threads.
  void stop();
  /// Waits for stop(), up to `seconds`. Returns whether it was called.
  bool stopped(double seconds);

 private:
  /// Requires the lock; throws the error, unless another thread does that first.
  void check(std::unique_lock<std::mutex>& lock);
  /// Requires the lock. Gives the waiting closures an error.
  void cancel_waiting();
  void leave(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable filled_;   // for takers: each closure wakes one
  std::condition_variable stops_;    // for stopped()
  std::condition_variable drained_;  // for the others
  std::deque<ClosurePtr> waiting_;
  size_t running_ = 0;
  std::exception_ptr error_;
  bool stopped_ = false;
};

}  // namespace antler::cluster
