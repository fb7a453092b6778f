#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/data/dataset.h"
#include "antler/data/generator.h"
#include "antler/data/sequence.h"
#include "antler/data/sharding.h"
#include "data/element_source.h"
#include "data/ordered_workers.h"
#include "data/permutation.h"

// DataSource for data sets, generators and sequences.

namespace antler::data {
namespace {

class DatasetSource final : public ElementSource {
 public:
  /// `is_part`: made for one worker.
  DatasetSource(Dataset dataset, int64_t num_batches, bool is_part, const SourceOptions& options)
      : ElementSource(options),
        dataset_(std::move(dataset)),
        num_batches_(num_batches),
        is_part_(is_part),
        seed_(options.seed) {}
  int64_t num_batches() const override { return num_batches_; }
  bool is_worker_part() const override { return is_part_; }
  void set_seed(uint64_t seed) override { seed_ = seed; }
  void reset() override {
    drop_batch();
    elements_.reset();  // the next pass starts on demand
    ended_ = false;
    ++pass_;
  }

 protected:
  bool next_element(Nest& element) override {
    if (ended_) return false;
    if (elements_ == nullptr) elements_ = dataset_.iterate({seed_, pass_});
    if (elements_->next(element)) return true;
    ended_ = true;
    elements_.reset();
    return false;
  }

 private:
  Dataset dataset_;
  int64_t num_batches_;
  bool is_part_;
  uint64_t seed_;
  uint64_t pass_ = 0;
  bool ended_ = false;
  std::unique_ptr<ElementIterator> elements_;
};

/// One pass over elements that cannot start over.
class StreamSource : public ElementSource {
 public:
  StreamSource(PullElement pull, int64_t num_batches, const SourceOptions& options)
      : ElementSource(options), pull_(std::move(pull)), num_batches_(num_batches) {}
  int64_t num_batches() const override { return num_batches_; }
  void reset() override {}
  bool can_start_over() const override { return false; }

 protected:
  bool next_element(Nest& element) override {
    if (ended_) return false;
    std::optional<Nest> value = pull_();
    if (value.has_value()) {
      element = std::move(*value);
      return true;
    }
    ended_ = true;
    return false;
  }

 private:
  PullElement pull_;
  int64_t num_batches_;
  bool ended_ = false;
};

class SequenceSource final : public ElementSource {
 public:
  SequenceSource(std::shared_ptr<Sequence> sequence, const SourceOptions& options)
      : ElementSource(options),
        sequence_(std::move(sequence)),
        shuffle_(options.shuffle != Shuffle::none),
        seed_(options.seed),
        workers_(sequence_->workers().value_or(options.workers)),
        queue_(sequence_->max_queue_size().value_or(options.max_queue_size)),
        threaded_(workers_ > 1 || (workers_ > 0 && options.use_multiprocessing)) {}

  int64_t num_batches() const override { return sequence_->size(); }
  void set_seed(uint64_t seed) override { seed_ = seed; }
  Epochs epochs() const override { return Epochs::new_pass; }
  void on_epoch_end() override {
    threads_.reset();
    sequence_->on_epoch_end();
  }
  void reset() override {
    drop_batch();
    threads_.reset();
    started_ = false;
    ++pass_;
  }

 protected:
  bool next_element(Nest& element) override {
    if (!started_) start();
    if (threads_ != nullptr) {
      if (threads_->next(element)) return true;
      threads_.reset();
      return false;
    }
    const std::optional<int64_t> index = next_index();
    if (!index.has_value()) return false;
    element = sequence_->item(*index);
    return true;
  }

 private:
  void start() {
    started_ = true;
    at_ = 0;
    size_ = sequence_->size();
    order_.clear();
    if (shuffle_ && size_ > 0) {
      order_.resize(static_cast<size_t>(size_));
      random_permutation(order_, seed_, pass_);
    }
    if (!threaded_) return;
    threads_ = std::make_unique<OrderedWorkers>(
        static_cast<size_t>(workers_), static_cast<size_t>(std::max<int64_t>(queue_, 1)),
        [this]() -> OrderedWorkers::Job {
          const std::optional<int64_t> index = next_index();
          if (!index.has_value()) return {};
          return [sequence = sequence_.get(), index = *index] { return sequence->item(index); };
        });
  }

  std::optional<int64_t> next_index() {
    if (size_ >= 0 && at_ == size_) return std::nullopt;
    const int64_t index = at_++;
    return order_.empty() ? index : order_[static_cast<size_t>(index)];
  }

  std::shared_ptr<Sequence> sequence_;
  bool shuffle_;
  uint64_t seed_;
  int64_t workers_;
  int64_t queue_;
  bool threaded_;
  uint64_t pass_ = 0;
  bool started_ = false;
  int64_t size_ = 0;
  int64_t at_ = 0;
  std::vector<int64_t> order_;
  std::unique_ptr<OrderedWorkers> threads_;  // last, because its threads use the other members
};

}  // namespace

std::shared_ptr<DataSource> Dataset::source(const SourceOptions& options) const {
  const int64_t size = cardinality();
  const int64_t workers = options.input.num_input_pipelines;
  if (workers == 1) return std::make_shared<DatasetSource>(*this, size, false, options);
  const AutoShardPolicy policy = resolved_policy(
      *this,
      options.auto_shard_policy.value_or(this->options().experimental_distribute.auto_shard_policy),
      workers);
  if (policy == AutoShardPolicy::data)
    return std::make_shared<DatasetSource>(*this, size, false, options);
  // Each worker has its own global batches, which rebatch() splits into shares of one step each. As
  // in TensorFlow, an epoch has as many steps as the whole data set has batches.
  const int64_t worker = options.input.input_pipeline_id;
  const Dataset own = data::shard(*this, policy, workers, worker);
  return std::make_shared<DatasetSource>(rebatch(own, workers, worker), size, true, options);
}

DatasetCreator::DatasetCreator(std::function<Dataset(const InputContext&)> make)
    : make_(std::move(make)) {
  if (make_ == nullptr)
    throw TypeError("`dataset_fn` of a DatasetCreator must be a function. Received none.");
}

std::shared_ptr<DataSource> DatasetCreator::source(const SourceOptions& options) const {
  /// Made for one worker.
  class PartSource final : public StreamSource {
   public:
    using StreamSource::StreamSource;
    bool is_worker_part() const override { return true; }
  };
  // The training loop sees an endless source: steps_per_epoch is required, and an epoch continues
  // the pass of the previous one.
  const InputContext& input = options.input;
  const int64_t replicas = input.num_replicas_in_sync / input.num_input_pipelines;
  auto elements = std::shared_ptr<ElementIterator>(
      join_batches(make_(input), replicas).iterate({options.seed, 0}));
  return std::make_shared<PartSource>(
      [elements]() -> std::optional<Nest> {
        Nest element;
        if (!elements->next(element)) return std::nullopt;
        return element;
      },
      DataSource::kEndless, options);
}

std::shared_ptr<DataSource> Generator::source(const SourceOptions& options) const {
  return std::make_shared<StreamSource>(pull_, DataSource::kUnknown, options);
}

std::shared_ptr<DataSource> Sequence::source(std::shared_ptr<Sequence> sequence,
                                             const SourceOptions& options) {
  if (sequence == nullptr) throw ValueError("A null pointer to a Sequence was given as data.");
  return std::make_shared<SequenceSource>(std::move(sequence), options);
}

}  // namespace antler::data
