#include "ops/started_reductions.h"

#include <cstring>
#include <utility>

#include "antler/base/error.h"

namespace antler::ops {

std::span<std::byte> pack_arrays(std::span<const Communicator::Array> arrays, size_t width,
                                 std::vector<std::byte>& storage) {
  size_t count = 0;
  for (const Communicator::Array& array : arrays) count += array.count;
  if (storage.size() < count * width) storage.resize(count * width);
  std::byte* at = storage.data();
  for (const Communicator::Array& array : arrays) {
    std::memcpy(at, array.input, array.count * width);
    at += array.count * width;
  }
  return std::span(storage).first(count * width);
}

void unpack_arrays(std::span<const std::byte> message, std::span<const Communicator::Array> arrays,
                   size_t width) {
  const std::byte* at = message.data();
  for (const Communicator::Array& array : arrays) {
    std::memcpy(array.output, at, array.count * width);
    at += array.count * width;
  }
}

StartedReductions::StartedReductions(When when, Reduce reduce)
    : when_(when), reduce_(std::move(reduce)) {}

StartedReductions::~StartedReductions() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

uint64_t StartedReductions::start(std::span<const Communicator::Array> arrays, DType dtype,
                                  ReduceOp op) {
  const auto reduction = std::make_shared<Reduction>();
  reduction->number = ++starts_;
  reduction->dtype = dtype;
  reduction->op = op;
  if (!spare_.empty()) {
    reduction->storage = std::move(spare_.front());
    spare_.pop_front();
  }
  reduction->message = pack_arrays(arrays, dtype_size(dtype), reduction->storage);
  if (when_ == When::at_once) {
    run(*reduction);
    if (reduction->error != nullptr) std::rethrow_exception(reduction->error);
    reduction->is_done = true;
  }
  {
    const std::lock_guard lock(mutex_);
    started_.push_back(reduction);
    if (when_ == When::in_background) queue_.push_back(reduction);
  }
  changed_.notify_all();
  if (when_ == When::in_background && !thread_.joinable())
    thread_ = std::thread([this] { run_all(); });
  return starts_;
}

void StartedReductions::finish(uint64_t number, std::span<const Communicator::Array> arrays) {
  std::shared_ptr<Reduction> reduction;
  {
    std::unique_lock lock(mutex_);
    while (!started_.empty() && started_.front()->number < number) started_.pop_front();
    if (started_.empty() || started_.front()->number != number)
      throw InternalError("There is no all-reduce {} to finish.", number);
    reduction = std::move(started_.front());
    started_.pop_front();
    changed_.wait(lock, [&] { return reduction->is_done; });
  }
  if (reduction->error != nullptr) std::rethrow_exception(reduction->error);
  unpack_arrays(reduction->message, arrays, dtype_size(reduction->dtype));
  spare_.push_back(std::move(reduction->storage));
}

void StartedReductions::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queue_.empty(); });
}

bool StartedReductions::is_busy() {
  const std::lock_guard lock(mutex_);
  return !queue_.empty();
}

void StartedReductions::run(Reduction& reduction) const {
  try {
    reduce_(reduction.message.data(), reduction.message.size() / dtype_size(reduction.dtype),
            reduction.dtype, reduction.op);
  } catch (...) {
    reduction.error = std::current_exception();
  }
}

void StartedReductions::run_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !queue_.empty(); });
    if (ends_) return;
    const std::shared_ptr<Reduction> reduction = queue_.front();
    lock.unlock();
    run(*reduction);
    lock.lock();
    reduction->is_done = true;
    queue_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace antler::ops
