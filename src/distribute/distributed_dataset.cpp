#include "antler/distribute/distributed_dataset.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <optional>

#include "antler/base/error.h"
#include "antler/data/sharding.h"
#include "antler/ops/communicator.h"
#include "data/worker_rows.h"
#include "distribute/step_agreement.h"
#include "distribute/strategy_impl.h"
#include "distribute/worker_batch.h"

namespace antler::distribute {
namespace {

/// Batches announced in one message. This many are read ahead. The first messages announce fewer,
/// so that the first step does not wait for them.
constexpr size_t kMostAhead = 8;

/// The parts of a process's replicas in one step.
struct Step {
  PerReplica parts = {};
  WorkerBatch global = {};
};

int64_t rows_of(const PerReplica& parts) {
  int64_t rows = 0;
  // An element without arrays counts as a row.
  for (const Nest& part : parts) {
    if (!part.is_none()) rows += std::max<int64_t>(data::batch_rows(part), 1);
  }
  return rows;
}

/// Arrays like those of `part`, but without rows.
Nest without_rows(const Nest& part) {
  const int64_t rows = data::batch_rows(part);
  return part.map([&](const Tensor& t) {
    if (!t.defined()) return t;
    Shape shape = t.shape();
    if (shape.rank() > 0 && shape[0] == rows) shape[0] = 0;
    return Tensor::zeros(t.dtype(), shape);
  });
}

}  // namespace

/// The steps of one pass. During iteration, worker_batch() is the batch of the current step.
class DistributedDataset::Iterator::Steps {
 public:
  /// Takes the arguments of the constructors of DistributedDataset. `agrees`: workers that read
  /// their own batches make the same number of steps; otherwise each makes as many as it has
  /// batches.
  Steps(const Strategy& strategy, const std::vector<data::Dataset>& pipelines, bool splits,
        bool own, bool agrees)
      : strategy_(strategy),
        input_(strategy.input_context()),
        local_replicas_(static_cast<size_t>(strategy.implementation()->local_replicas())),
        splits_(splits),
        shares_(!own && input_.num_input_pipelines > 1) {
    for (const data::Dataset& pipeline : pipelines) pipelines_.emplace_back(pipeline.iterate());
    if (agrees && own && strategy.workers() != nullptr && strategy.workers()->size() > 1)
      agreement_.emplace(*strategy.workers());
  }

  std::optional<PerReplica> next() {
    if (agreement_ && agreed_.empty() && !has_ended_) read_ahead();
    std::optional<Step> step;
    if (!agreement_) {
      step = read();
    } else if (!agreed_.empty()) {
      step = std::move(agreed_.front());
      agreed_.pop_front();
    }
    if (!step) {
      current_.clear();
      return std::nullopt;
    }
    if (step->global.global_rows > 0) current_.set(step->global);
    return std::move(step->parts);
  }

 private:
  std::optional<Step> read() {
    Nest element;
    if (splits_) {
      if (!pipelines_[0]->next(element)) return std::nullopt;
      if (shares_) return share_of(element);
      example_ = element;
      return Step{.parts = strategy_.split(element)};
    }
    Step step;
    bool any = false;
    for (size_t r = 0; r < local_replicas_; ++r) {
      const bool has_part = pipelines_[r % pipelines_.size()]->next(element);
      if (has_part) example_ = element;
      step.parts.push_back(has_part ? element : Nest());
      any = any || has_part;
    }
    return any ? std::optional(step) : std::nullopt;
  }

  /// This worker's rows of a batch that all workers read.
  Step share_of(const Nest& batch) const {
    const int64_t workers = input_.num_input_pipelines;
    const Nest own = data::rows_of_part(batch, workers, input_.input_pipeline_id);
    const int64_t rows = data::batch_rows(batch);
    if (rows == 0) return {.parts = strategy_.split(own)};
    Step step{.global = {.global_rows = rows, .is_empty = data::batch_rows(own) == 0}};
    for (int64_t w = 0; w < workers; ++w)
      step.global.rows_of_workers.push_back(data::part_of_worker(rows, w, workers).count());
    step.parts = step.global.is_empty ? first_part(own) : strategy_.split(own);
    return step;
  }

  PerReplica first_part(const Nest& part) const {
    PerReplica parts(local_replicas_);
    parts[0] = part;
    return parts;
  }

  void read_ahead() {
    std::vector<int64_t> rows(ahead_, 0);
    std::exception_ptr failure;
    try {
      for (size_t i = 0; i < ahead_; ++i) {
        std::optional<Step> step = read();
        if (!step) break;
        rows[i] = rows_of(step->parts);
        agreed_.push_back(std::move(*step));
      }
    } catch (...) {
      failure = std::current_exception();
    }
    const std::vector<WorkerBatch> steps = agreement_->next(rows, failure);
    has_ended_ = steps.size() < ahead_;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (i == agreed_.size()) agreed_.push_back({.parts = first_part(without_rows(example_))});
      agreed_[i].global = steps[i];
    }
    ahead_ = std::min(2 * ahead_, kMostAhead);
  }

  Strategy strategy_;
  data::InputContext input_;
  size_t local_replicas_;
  std::vector<std::unique_ptr<data::ElementIterator>> pipelines_;
  bool splits_;
  bool shares_;
  std::optional<StepAgreement> agreement_;
  std::deque<Step> agreed_;  ///< steps that all workers have agreed on
  size_t ahead_ = 1;
  bool has_ended_ = false;  ///< no step after agreed_
  Nest example_;            ///< the last part or batch that was read
  LoopBatch current_;
};

DistributedDataset::Iterator::Iterator(std::shared_ptr<Steps> steps) : steps_(std::move(steps)) {
  ++*this;
}

DistributedDataset::Iterator& DistributedDataset::Iterator::operator++() {
  std::optional<PerReplica> parts = steps_->next();
  done_ = !parts.has_value();
  parts_ = std::move(parts).value_or(PerReplica());
  return *this;
}

DistributedDataset::DistributedDataset(Strategy strategy, data::Dataset batches, bool own)
    : strategy_(std::move(strategy)), pipelines_({std::move(batches)}), splits_(true), own_(own) {}

DistributedDataset::DistributedDataset(Strategy strategy, std::vector<data::Dataset> pipelines)
    : strategy_(std::move(strategy)), pipelines_(std::move(pipelines)), splits_(false) {}

DistributedDataset::Iterator DistributedDataset::begin() const {
  return Iterator(
      std::make_shared<Iterator::Steps>(strategy_, pipelines_, splits_, own_, /*agrees=*/true));
}

std::shared_ptr<DataSource> DistributedDataset::source(const SourceOptions& options) const {
  // A generator makes one pass, which all epochs share. fit agrees on its steps itself
  // (agreed_batches.h).
  auto steps = std::make_shared<std::shared_ptr<Iterator::Steps>>();
  const auto next = [*this, steps]() -> std::optional<Nest> {
    if (*steps == nullptr) {
      *steps = std::make_shared<Iterator::Steps>(strategy_, pipelines_, splits_, own_,
                                                 /*agrees=*/false);
    }
    while (const std::optional<PerReplica> step = (*steps)->next()) {
      std::vector<Nest> parts;
      for (const Nest& part : *step) {
        if (!part.is_none()) parts.push_back(part);
      }
      Nest rows = data::join_batches(parts);
      if (data::batch_rows(rows) > 0) return rows;
    }
    return std::nullopt;
  };
  const data::DatasetCreator rows([next](const data::InputContext&) {
    return data::Dataset::from_generator([next = next] { return next; });
  });
  SourceOptions joined = options;
  joined.input = {};
  return rows.source(joined);
}

DistributedDataset Strategy::experimental_distribute_dataset(const data::Dataset& dataset,
                                                             const InputOptions& options) const {
  if (options.experimental_replication_mode == InputReplicationMode::per_replica) {
    throw NotImplementedError(
        "InputReplicationMode::per_replica is only supported by "
        "`distribute_datasets_from_function`.");
  }
  const data::InputContext input = input_context();
  const int64_t workers = input.num_input_pipelines;
  const int64_t worker = input.input_pipeline_id;
  if (workers == 1) return {*this, dataset, true};
  const data::AutoShardPolicy policy = data::resolved_policy(
      dataset, dataset.options().experimental_distribute.auto_shard_policy, workers);
  if (policy == data::AutoShardPolicy::data) return {*this, dataset, false};
  return {*this, data::rebatch(data::shard(dataset, policy, workers, worker), workers, worker),
          true};
}

DistributedDataset Strategy::distribute_datasets_from_function(
    const std::function<data::Dataset(const data::InputContext& context)>& function,
    const InputOptions& options) const {
  if (function == nullptr) {
    throw TypeError(
        "distribute_datasets_from_function: `dataset_fn` must be a function. Received none.");
  }
  const data::InputContext input = input_context();
  if (options.experimental_replication_mode == InputReplicationMode::per_worker)
    return {*this, std::vector<data::Dataset>{function(input)}};
  std::vector<data::Dataset> pipelines;
  const int64_t replicas = num_replicas_in_sync();
  const int64_t first = impl_->first_replica();
  for (int64_t r = first; r < first + impl_->local_replicas(); ++r)
    pipelines.push_back(function({replicas, r, replicas}));
  return {*this, std::move(pipelines)};
}

}  // namespace antler::distribute
