#include "antler/distribute/distributed_dataset.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "antler/base/error.h"
#include "antler/data/sharding.h"
#include "antler/ops/communicator.h"

namespace antler::distribute {

DistributedDataset::DistributedDataset(Strategy strategy, data::Dataset batches, bool agrees)
    : strategy_(std::move(strategy)),
      pipelines_({std::move(batches)}),
      splits_(true),
      agrees_(agrees) {}

DistributedDataset::DistributedDataset(Strategy strategy, std::vector<data::Dataset> pipelines)
    : strategy_(std::move(strategy)), pipelines_(std::move(pipelines)), splits_(false) {}

DistributedDataset::Iterator DistributedDataset::begin() const {
  return {strategy_, pipelines_, splits_, agrees_};
}

std::shared_ptr<DataSource> DistributedDataset::source(const SourceOptions& options) const {
  // A generator makes one pass, which all epochs share.
  auto at = std::make_shared<std::optional<Iterator>>();
  const auto next = [*this, at]() -> std::optional<Nest> {
    if (!at->has_value()) {
      // The iterators need not agree: fit does that itself (agreed_batches.h).
      at->emplace(strategy_, pipelines_, splits_, false);
    } else if (!(**at == std::default_sentinel)) {
      ++**at;
    }
    if (**at == std::default_sentinel) return std::nullopt;
    std::vector<Nest> parts;
    for (const Nest& part : ***at) {
      if (!part.is_none()) parts.push_back(part);
    }
    return data::join_batches(parts);
  };
  const data::DatasetCreator rows([next](const data::InputContext&) {
    return data::Dataset::from_generator([next] { return next; });
  });
  SourceOptions joined = options;
  joined.input = {};
  return rows.source(joined);
}

DistributedDataset::Iterator::Iterator(Strategy strategy,
                                       const std::vector<data::Dataset>& pipelines, bool splits,
                                       bool agrees)
    : strategy_(std::move(strategy)), splits_(splits), agrees_(agrees) {
  for (const data::Dataset& pipeline : pipelines) pipelines_.emplace_back(pipeline.iterate());
  ++*this;
}

bool DistributedDataset::Iterator::all_have(bool element) const {
  int32_t all = element ? 1 : 0;
  if (agrees_) strategy_.workers()->all_reduce(&all, 1, DType::int32, ReduceOp::min);
  return all == 1;
}

DistributedDataset::Iterator& DistributedDataset::Iterator::operator++() {
  Nest element;
  if (splits_) {
    done_ = !all_have(pipelines_[0]->next(element));
    if (!done_) parts_ = strategy_.split(element);
    return *this;
  }
  parts_.clear();
  const data::InputContext input = strategy_.input_context();
  const int64_t replicas = input.num_replicas_in_sync / input.num_input_pipelines;
  bool any = false;
  for (int64_t r = 0; r < replicas; ++r) {
    data::ElementIterator& pipeline = *pipelines_[static_cast<size_t>(r) % pipelines_.size()];
    const bool has_part = pipeline.next(element);
    parts_.push_back(has_part ? element : Nest());
    any = any || has_part;
  }
  done_ = !any;
  return *this;
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
  if (workers == 1) return {*this, dataset, false};
  const data::AutoShardPolicy policy = data::resolved_policy(
      dataset, dataset.options().experimental_distribute.auto_shard_policy, workers);
  if (policy != data::AutoShardPolicy::data)
    return {*this, data::rebatch(data::shard(dataset, policy, workers, worker), workers, worker),
            true};
  const auto part = [workers](const Nest& batch, int64_t of) {
    return data::rows_of_part(batch, workers, of);
  };
  const data::Dataset shared = dataset.filter(
      [=](const Nest& batch) { return data::batch_rows(part(batch, workers - 1)) > 0; });
  const auto own = [=](const Nest& batch) { return part(batch, worker); };
  return {*this, shared.map(own), false};
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
  for (int64_t r = 0; r < replicas; ++r) pipelines.push_back(function({replicas, r, replicas}));
  return {*this, std::move(pipelines)};
}

}  // namespace antler::distribute
