#include "cluster/closure_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "antler/base/error.h"
#include "cluster/remote_value.h"

namespace antler::cluster {

void ClosureQueue::check(std::unique_lock<std::mutex>& lock) {
  if (error_ == nullptr) return;
  drained_.wait(lock, [this] { return running_ == 0; });
  // Another thread may have thrown it meanwhile.
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ClosureQueue::cancel_waiting() {
  const auto cancelled = std::make_exception_ptr(CancelledError(
      stopped_ ? "The function was not run, because its coordinator was closed."
               : "The function was not run, because a function scheduled earlier failed. Schedule "
                 "it again."));
  for (const ClosurePtr& closure : waiting_) closure->result->set_error(cancelled);
  waiting_.clear();
}

void ClosureQueue::put(ClosurePtr closure, size_t most) {
  std::unique_lock lock(mutex_);
  drained_.wait(lock, [&] { return error_ != nullptr || stopped_ || waiting_.size() < most; });
  check(lock);
  waiting_.push_back(std::move(closure));
  if (stopped_) return cancel_waiting();
  filled_.notify_one();
}

std::vector<ClosurePtr> ClosureQueue::take(size_t most, size_t workers) {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
  std::vector<ClosurePtr> taken;
  if (stopped_) return taken;
  const size_t share = (waiting_.size() + workers - 1) / workers;
  while (taken.size() < std::min(most, share)) {
    taken.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  running_ += taken.size();
  drained_.notify_all();
  return taken;
}

void ClosureQueue::leave(std::unique_lock<std::mutex>&) {
  --running_;
  if (running_ == 0) drained_.notify_all();
}

void ClosureQueue::finish(const ClosurePtr& closure, Nest value) {
  closure->result->set_value(std::move(value));
  std::unique_lock lock(mutex_);
  leave(lock);
}

void ClosureQueue::fail(const ClosurePtr& closure, const std::exception_ptr& error) {
  closure->result->set_error(error);
  std::unique_lock lock(mutex_);
  if (error_ == nullptr) error_ = error;
  cancel_waiting();
  leave(lock);
  drained_.notify_all();
}

void ClosureQueue::put_back(const ClosurePtr& closure) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(closure);
  if (error_ != nullptr || stopped_) cancel_waiting();
  leave(lock);
  filled_.notify_one();
}

void ClosureQueue::wait() {
  std::unique_lock lock(mutex_);
  const auto is_empty = [this] { return running_ == 0 && waiting_.empty(); };
  do {
    drained_.wait(lock, [&] { return error_ != nullptr || is_empty(); });
    check(lock);
  } while (!is_empty());
}

bool ClosureQueue::done() {
  std::unique_lock lock(mutex_);
  check(lock);
  return running_ == 0 && waiting_.empty();
}

void ClosureQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  cancel_waiting();
  filled_.notify_all();
  drained_.notify_all();
  stops_.notify_all();
}

bool ClosureQueue::stopped(double seconds) {
  std::unique_lock lock(mutex_);
  return stops_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return stopped_; });
}

}  // namespace antler::cluster
