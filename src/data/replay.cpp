#include "data/replay.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/rows.h"

namespace antler::data {

void Replay::mark() {
  for (; at_ > 0; --at_) {
    free_.push_back(std::move(kept_.front()));
    kept_.pop_front();
  }
}

void Replay::reset() {
  kept_.resize(at_);
  source_->reset();
}

bool Replay::peek(Nest& specs) {
  if (!is_again()) {
    if (!source_->peek(specs)) return false;
    reported_ = source_->signature();
    return true;
  }
  specs = kept_[at_].specs;
  reported_ = kept_[at_].signature;
  return true;
}

int64_t Replay::signature() {
  return reported_ = is_again() ? kept_[at_].signature : source_->signature();
}

int64_t Replay::batch_rows() { return is_again() ? kept_[at_].rows : source_->batch_rows(); }

bool Replay::read() {
  Batch batch{.specs = {}, .leaves = {}, .signature = source_->signature()};
  const auto same = std::find_if(free_.begin(), free_.end(), [&](const Batch& other) {
    return other.signature == batch.signature;
  });
  if (same != free_.end()) {
    batch = std::move(*same);
    free_.erase(same);
  } else {
    // Memory of other shapes will hardly be needed again.
    free_.clear();
    if (!source_->peek(batch.specs)) return false;
    for (const Tensor& leaf : batch.specs.flatten())
      if (leaf.defined()) batch.leaves.push_back(Tensor::empty(leaf.dtype(), leaf.shape()));
    batch.rows = source_->batch_rows();
  }
  std::vector<void*> buffers;
  for (const Tensor& leaf : batch.leaves) buffers.push_back(leaf.mutable_data());
  if (source_->batch_rows() == 0 || !source_->fill(buffers)) return false;
  kept_.push_back(std::move(batch));
  return true;
}

const Replay::Batch* Replay::next() {
  const int64_t reported = reported_;
  if (signature() != reported || (!is_again() && !read())) {
    reported_ = reported;
    return nullptr;
  }
  return &kept_[at_++];
}

bool Replay::fill(std::span<void* const> buffers) {
  const Batch* const batch = next();
  if (batch == nullptr) return false;
  for (size_t i = 0; i < batch->leaves.size(); ++i)
    std::memcpy(buffers[i], batch->leaves[i].data(), batch->leaves[i].bytes());
  return true;
}

bool Replay::fill_or_lend(std::span<void*> batch) {
  const Batch* const next_batch = next();
  if (next_batch == nullptr) return false;
  for (size_t i = 0; i < batch.size(); ++i) lend_or_copy(next_batch->leaves[i], batch[i]);
  return true;
}

}  // namespace antler::data
