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

/// A function that a worker is to run.
struct ScheduledClosure {
  Function function;
  std::vector<ScheduleArgument> arguments;
  /// The arguments of several steps, which replace `arguments`.
  std::vector<Nest> batches;
  std::shared_ptr<RemoteValue::State> result;
};
using ClosurePtr = std::shared_ptr<ScheduledClosure>;

/// The closures that wait for a worker, and the number of those that run. Any thread may call.
///
/// The first error of a closure cancels those that wait. The next put(), wait() or done() throws
/// it, when no closure runs any more; after that the queue is as new.
class ClosureQueue {
 public:
  static constexpr size_t kCapacity = 262144;
  /// Blocks while `most` closures wait.
  void put(ClosurePtr closure, size_t most = kCapacity);
  /// Up to `most` closures, and not more than a fair share of `workers` takers. Blocks while there
  /// are none; none after stop().
  std::vector<ClosurePtr> take(size_t most, size_t workers);
  /// Every closure that was taken is given to one of these.
  void finish(const ClosurePtr& closure, Nest value);
  void fail(const ClosurePtr& closure, const std::exception_ptr& error);
  /// Its worker was lost: another one takes it later. It is cancelled if there is an error.
  void put_back(const ClosurePtr& closure);
  /// Blocks until all closures are done.
  void wait();
  bool done();
  /// Cancels what waits and releases all threads.
  void stop();
  /// Waits until stop(), up to `seconds`. Whether it was called.
  bool stopped(double seconds);

 private:
  /// Requires the lock; throws the error.
  void check(std::unique_lock<std::mutex>& lock);
  /// Requires the lock.
  void cancel_waiting();
  void leave(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable filled_;   // for takers
  std::condition_variable drained_;  // for the others
  std::deque<ClosurePtr> waiting_;
  size_t running_ = 0;
  std::exception_ptr error_;
  bool stopped_ = false;
};

}  // namespace antler::cluster
