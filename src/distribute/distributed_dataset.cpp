#include "antler/distribute/distributed_dataset.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "antler/base/error.h"
#include "antler/data/sharding.h"

namespace antler::distribute {

DistributedDataset::DistributedDataset(Strategy strategy, data::Dataset batches)
    : strategy_(std::move(strategy)), pipelines_({std::move(batches)}), splits_(true) {}

DistributedDataset::DistributedDataset(Strategy strategy, std::vector<data::Dataset> pipelines)
    : strategy_(std::move(strategy)), pipelines_(std::move(pipelines)), splits_(false) {}

DistributedDataset::Iterator DistributedDataset::begin() const {
  return {strategy_, pipelines_, splits_};
}

std::shared_ptr<DataSource> DistributedDataset::source(const SourceOptions& options) const {
  // A generator continues one pass over all epochs.
  auto at = std::make_shared<std::optional<Iterator>>();
  const auto next = [*this, at]() -> std::optional<Nest> {
    if (!at->has_value()) {
      at->emplace(begin());
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
                                       const std::vector<data::Dataset>& pipelines, bool splits)
    : strategy_(std::move(strategy)), splits_(splits) {
  for (const data::Dataset& pipeline : pipelines) pipelines_.emplace_back(pipeline.iterate());
  ++*this;
}

DistributedDataset::Iterator& DistributedDataset::Iterator::operator++() {
  Nest element;
  if (splits_) {
    done_ = !pipelines_[0]->next(element);
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
  return {*this, dataset};
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
