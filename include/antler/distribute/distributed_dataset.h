#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "antler/data/dataset.h"
#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// Elements with one part per replica of this process, made by
/// Strategy::experimental_distribute_dataset() and distribute_datasets_from_function(). A replica
/// without data gets an undefined leaf.
///
///     for (const PerReplica& parts : strategy.experimental_distribute_dataset(data)) { ... }
///
/// Workers iterate together, for as many steps as the worker with the most data has. If a worker
/// has no data left, its first replica gets a batch without rows, [0, ...], so that the worker
/// takes part in the collectives of Strategy::run(). Up to 8 batches are read ahead. Throws
/// UnavailableError if another worker cannot read its data, and ValueError if a worker has no data
/// at all while others have some. During an iteration, Strategy::run() and Strategy::reduce() count
/// the replicas and the rows of all workers; functions are traced for each combination of these.
///
/// fit(), evaluate() and predict() also take it. They need a number of steps, and all epochs share
/// one pass. They redistribute the rows of each step among the replicas.
class DistributedDataset {
 public:
  /// Batches to be split among replicas. `own`: they belong to this worker; else all workers read
  /// the same batches, and each takes its rows.
  DistributedDataset(Strategy strategy, data::Dataset batches, bool own);
  /// Batches of replicas: one data set for all, or one for each replica of this process.
  DistributedDataset(Strategy strategy, std::vector<data::Dataset> pipelines);

  class Iterator;
  Iterator begin() const;
  std::default_sentinel_t end() const { return {}; }

  /// The rows of all replicas as batches for fit.
  std::shared_ptr<DataSource> source(const SourceOptions& options) const;

 private:
  Strategy strategy_;
  std::vector<data::Dataset> pipelines_;
  bool splits_;
  bool own_ = true;
};

/// One pass over the batches of all replicas. Copies share it.
class DistributedDataset::Iterator {
 public:
  using value_type = PerReplica;
  using difference_type = std::ptrdiff_t;
  class Steps;
  explicit Iterator(std::shared_ptr<Steps> steps);
  const PerReplica& operator*() const { return parts_; }
  Iterator& operator++();
  void operator++(int) { ++*this; }
  friend bool operator==(const Iterator& at, std::default_sentinel_t) { return at.done_; }

 private:
  std::shared_ptr<Steps> steps_;
  bool done_ = false;
  PerReplica parts_;
};

}  // namespace antler::distribute
