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

/// Makes elements on threads of its own, at most `ahead` before they are asked for, and gives them
/// in the order in which their jobs were handed out, whatever the number of threads.
///
/// Threads start at the first next() and end with the object; one that is dropped midway waits only
/// for the jobs that run. One thread calls next().
class OrderedWorkers {
 public:
  /// Makes one element.
  using Job = std::function<Nest()>;
  /// The next job; empty at the end. Never called by two threads at once.
  using Source = std::function<Job()>;

  OrderedWorkers(size_t threads, size_t ahead, Source source);
  OrderedWorkers(const OrderedWorkers&) = delete;
  OrderedWorkers& operator=(const OrderedWorkers&) = delete;
  ~OrderedWorkers();

  /// False at the end. Throws what the element's job threw, and what the source threw behind the
  /// elements before it.
  bool next(Nest& element);

 private:
  struct Slot {
    bool ready = false;
    Nest element;
    std::exception_ptr error;
  };

  void start();
  void work();
  /// Waits for room, takes a job and gives it the next place. Null at the end.
  std::shared_ptr<Slot> take(Job& job);
  void finish(Slot& slot, Nest element, std::exception_ptr error);

  size_t count_;
  size_t ahead_;
  Source source_;
  std::mutex source_mutex_;  // held while a job is taken: places are in the source's order
  std::mutex mutex_;         // guards what follows
  std::condition_variable room_;
  std::condition_variable ready_;
  std::deque<std::shared_ptr<Slot>> slots_;  // in order; the front is next
  bool ended_ = false;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace antler::data
