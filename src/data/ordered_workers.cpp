#include "data/ordered_workers.h"

#include <algorithm>
#include <utility>

namespace antler::data {

OrderedWorkers::OrderedWorkers(size_t threads, size_t ahead, Source source)
    : count_(std::max<size_t>(threads, 1)),
      ahead_(std::max<size_t>(ahead, 1)),
      source_(std::move(source)) {}

OrderedWorkers::~OrderedWorkers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  space_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void OrderedWorkers::start() {
  threads_.reserve(count_);
  for (size_t i = 0; i < count_; ++i) threads_.emplace_back([this] { work(); });
}

std::shared_ptr<OrderedWorkers::Slot> OrderedWorkers::take(Job& job) {
  const std::lock_guard source_lock(source_mutex_);
  {
    std::unique_lock lock(mutex_);
    space_.wait(lock, [this] { return stop_ || ended_ || slots_.size() < ahead_; });
    if (stop_ || ended_) return nullptr;
  }
  const auto slot = std::make_shared<Slot>();
  bool more = false;
  try {
    job = source_();
    more = static_cast<bool>(job);
  } catch (...) {
    slot->error = std::current_exception();
    slot->ready = true;
  }
  const std::lock_guard lock(mutex_);
  ended_ = !more;
  if (more || slot->ready) slots_.push_back(slot);
  ready_.notify_one();
  return more ? slot : nullptr;
}

void OrderedWorkers::finish(Slot& slot, Nest element, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  slot.element = std::move(element);
  slot.error = std::move(error);
  slot.ready = true;
  ready_.notify_one();
}

void OrderedWorkers::work() {
  Job job;
  while (const std::shared_ptr<Slot> slot = take(job)) {
    Nest element;
    std::exception_ptr error;
    try {
      element = job();
    } catch (...) {
      error = std::current_exception();
    }
    job = nullptr;  // frees its captures before this thread waits
    finish(*slot, std::move(element), std::move(error));
  }
}

bool OrderedWorkers::next(Nest& element) {
  if (threads_.empty()) start();
  std::shared_ptr<Slot> slot;
  {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return slots_.empty() ? ended_ : slots_.front()->ready; });
    if (slots_.empty()) return false;
    slot = std::move(slots_.front());
    slots_.pop_front();
  }
  space_.notify_all();
  if (slot->error) std::rethrow_exception(slot->error);
  element = std::move(slot->element);
  return true;
}

}  // namespace antler::data
