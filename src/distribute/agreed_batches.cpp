#include "distribute/agreed_batches.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "distribute/step_agreement.h"

namespace antler::distribute {
namespace {

/// Batches announced in one message. This many are read ahead.
constexpr size_t kAhead = 8;

class AgreedBatches final : public DataSource {
 public:
  AgreedBatches(std::shared_ptr<DataSource> own, ops::Communicator& workers)
      : own_(std::move(own)), agreement_(workers), num_batches_(agreed_size(workers)) {}

  int64_t num_batches() const override { return num_batches_; }
  Epochs epochs() const override { return own_->epochs(); }
  void on_epoch_end() override { own_->on_epoch_end(); }
  bool can_start_over() const override { return own_->can_start_over(); }
  bool is_worker_part() const override { return true; }
  void set_seed(uint64_t seed) override { own_->set_seed(seed); }
  void reset() override {
    own_->reset();
    if (!own_->can_start_over()) return;
    batches_.clear();
    has_ended_ = false;
  }

  bool peek(Nest& specs) override {
    if (!fetch()) return false;
    specs = batches_.front().specs;
    reported_ = signature_;
    return true;
  }
  int64_t signature() override {
    fetch();
    return reported_ = signature_;
  }
  int64_t batch_rows() override { return fetch() ? batches_.front().rows : 0; }
  WorkerBatch worker_batch() override { return fetch() ? batches_.front().global : WorkerBatch(); }

  bool fill(std::span<void* const> buffers) override {
    if (!fetch() || signature_ != reported_) return false;
    const Tensors& leaves = batches_.front().leaves;
    for (size_t i = 0; i < leaves.size(); ++i)
      std::memcpy(buffers[i], leaves[i].data(), leaves[i].bytes());
    batches_.pop_front();
    return true;
  }

 private:
  struct Batch {
    Nest specs = {};
    Tensors leaves = {};  ///< the defined ones
    int64_t rows = 0;
    int64_t own_signature = 0;
    WorkerBatch global = {};
  };

  /// The number of batches that all workers have or, if they differ, the largest one.
  int64_t agreed_size(ops::Communicator& workers) const {
    const int64_t own = own_->num_batches();
    std::vector<int64_t> sizes(static_cast<size_t>(workers.size()));
    workers.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(sizes)));
    for (const int64_t special : {kEndless, kUnknown}) {
      if (std::find(sizes.begin(), sizes.end(), special) != sizes.end()) return special;
    }
    return *std::max_element(sizes.begin(), sizes.end());
  }

  /// Reads a batch if there is one and sets signature_. Returns whether there is one.
  bool fetch() {
    if (batches_.empty() && !has_ended_) read_ahead();
    if (batches_.empty()) return false;
    const Batch& next = batches_.front();
    const Key key(next.own_signature, next.global.is_empty, next.global.rows_of_workers);
    signature_ = signatures_.emplace(key, static_cast<int64_t>(signatures_.size())).first->second;
    return true;
  }

  void read_ahead() {
    std::vector<int64_t> rows(kAhead, 0);
    std::exception_ptr failure;
    try {
      for (size_t i = 0; i < kAhead && own_->batch_rows() > 0; ++i) {
        batches_.push_back(read());
        rows[i] = batches_.back().rows;
      }
    } catch (...) {
      failure = std::current_exception();
    }
    std::vector<WorkerBatch> steps = agreement_.next(rows, failure);
    has_ended_ = steps.size() < kAhead;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (i == batches_.size()) batches_.push_back(dummy());
      batches_[i].global = std::move(steps[i]);
    }
  }

  Batch read() {
    Batch batch{.rows = own_->batch_rows()};
    own_->peek(batch.specs);
    batch.own_signature = own_->signature();
    std::vector<void*> buffers;
    for (const Tensor& leaf : batch.specs.flatten()) {
      if (!leaf.defined()) continue;
      batch.leaves.push_back(Tensor::empty(leaf.dtype(), leaf.shape()));
      buffers.push_back(batch.leaves.back().mutable_data());
    }
    own_->fill(buffers);
    example_ = batch.specs;
    example_rows_ = batch.rows;
    example_signature_ = batch.own_signature;
    return batch;
  }

  /// One row of zeros in the form of the last batch.
  Batch dummy() {
    Batch batch{.rows = 1, .own_signature = example_signature_};
    batch.specs = example_.map([&](const Tensor& leaf) {
      if (!leaf.defined()) return leaf;
      Shape shape = leaf.shape();
      if (leaf.rank() > 0 && leaf.dim(0) == example_rows_) shape[0] = 1;
      batch.leaves.push_back(Tensor::zeros(leaf.dtype(), shape));
      return Tensor::spec_only({leaf.dtype(), shape});
    });
    return batch;
  }

  using Key = std::tuple<int64_t, bool, std::vector<int64_t>>;

  std::shared_ptr<DataSource> own_;
  StepAgreement agreement_;
  int64_t num_batches_;
  std::deque<Batch> batches_;
  bool has_ended_ = false;  ///< no data after batches_
  Nest example_;            ///< specs of the last batch of data
  int64_t example_rows_ = 0;
  int64_t example_signature_ = 0;
  std::map<Key, int64_t> signatures_;
  int64_t signature_ = 0;  ///< of the next or the last batch
  int64_t reported_ = -1;  ///< signature last reported; the caller's buffers have it
};

}  // namespace

std::shared_ptr<DataSource> agreed_batches(std::shared_ptr<DataSource> own,
                                           ops::Communicator& workers) {
  return std::make_shared<AgreedBatches>(std::move(own), workers);
}

}  // namespace antler::distribute
