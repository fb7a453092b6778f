#include "cluster/remote_value.h"

#include <utility>

namespace antler::cluster {

void RemoteValue::State::set_value(Nest value) {
  {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    error_ = nullptr;
    ready_ = true;
  }
  changed_.notify_all();
}

void RemoteValue::State::set_error(std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    ready_ = true;
  }
  changed_.notify_all();
}

Nest RemoteValue::State::get() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_; });
  if (error_ != nullptr) std::rethrow_exception(error_);
  return value_;
}

bool RemoteValue::State::is_ready() {
  const std::lock_guard lock(mutex_);
  return ready_;
}

Nest RemoteValue::fetch() const { return state_->get(); }
Nest RemoteValue::get() const { return state_->get(); }
bool RemoteValue::is_ready() const { return state_->is_ready(); }

}  // namespace antler::cluster
