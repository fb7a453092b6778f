#include "pjrt/pending_values.h"

#include <exception>
#include <utility>

namespace antler::pjrt {

// The constructor delegates so that, if a later copy cannot be started, the destructor waits for
// the earlier ones.
PendingValues::PendingValues(const Buffers& buffers, std::span<const TensorSpec> specs)
    : PendingValues() {
  values_.reserve(buffers.size());
  events_.reserve(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    values_.push_back(Tensor::empty(specs[i].dtype, specs[i].shape));
    events_.push_back(buffers[i]->start_copy_to(values_.back().mutable_data()));
  }
}

PendingValues& PendingValues::operator=(PendingValues&& other) noexcept {
  wait_quietly();
  values_ = std::move(other.values_);
  events_ = std::exchange(other.events_, {});
  return *this;
}

PendingValues::~PendingValues() { wait_quietly(); }

void PendingValues::wait_quietly() noexcept {
  for (Event& event : events_) {
    try {
      event.wait("running a program");
    } catch (const std::exception&) {
      // the values are no longer needed, or another error is being handled
    }
  }
  events_.clear();
}

Tensors PendingValues::take() {
  for (Event& event : events_) event.wait("running a program");
  events_.clear();
  return std::exchange(values_, {});
}

}  // namespace antler::pjrt
