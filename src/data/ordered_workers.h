#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "antler/core/nest.h"

namespace antler::data {

/// Makes up to `ahead` elements in advance on several threads. next() returns the elements in the
/// order of their jobs, whatever the number of threads.
///
/// The threads start at the first next() and end with the object. The destructor waits only for
/// running jobs. Only one thread may call next().
class OrderedWorkers {
 public:
  /// Makes one element.
  using Job = std::function<Nest()>;
  /// Returns the next job; empty at the end. Never called by two threads at once.
  using Source = std::function<Job()>;

  OrderedWorkers(size_t threads, size_t ahead, Source source);
  OrderedWorkers(const OrderedWorkers&) = delete;
  OrderedWorkers& operator=(const OrderedWorkers&) = delete;
  ~OrderedWorkers();

  /// Stores the next element; false at the end. Throws what the job of the element threw. An
  /// exception of the source is thrown after all earlier elements.
  bool next(Nest& element);

 private:
  struct Slot {
    bool ready = false;
    Nest element;
    std::exception_ptr error;
  };

  void start();
  void work();
  /// Waits for space, takes a job and appends a slot for it. Null at the end.
  std::shared_ptr<Slot> take(Job& job);
  void finish(Slot& slot, Nest element, std::exception_ptr error);

  size_t count_;
  size_t ahead_;
  Source source_;
  std::mutex source_mutex_;  // held while a job is taken, so that slots are in the source's order
  std::mutex mutex_;         // guards the members below
  std::condition_variable space_;
  std::condition_variable ready_;
  std::deque<std::shared_ptr<Slot>> slots_;  // in order; the front is next
  bool ended_ = false;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace antler::data
