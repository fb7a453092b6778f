#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "antler/data/dataset.h"
#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// Elements with one part per replica, made by Strategy::experimental_distribute_dataset() and
/// distribute_datasets_from_function(). A replica without data gets an undefined leaf.
///
///     for (const PerReplica& parts : strategy.experimental_distribute_dataset(data)) { ... }
///
/// fit, evaluate and predict take it too. They need a number of steps, and all epochs share one
/// pass. They divide the rows of each step among the replicas anew.
class DistributedDataset {
 public:
  /// Batches of this process, to be split among its replicas. `agrees`: the workers tell each other
  /// whether they have a next batch.
  DistributedDataset(Strategy strategy, data::Dataset batches, bool agrees);
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
  bool agrees_ = false;
};

/// One pass over the batches of all replicas.
class DistributedDataset::Iterator {
 public:
  using value_type = PerReplica;
  using difference_type = std::ptrdiff_t;
  Iterator(Strategy strategy, const std::vector<data::Dataset>& pipelines, bool splits,
           bool agrees);
  const PerReplica& operator*() const { return parts_; }
  Iterator& operator++();
  void operator++(int) { ++*this; }
  friend bool operator==(const Iterator& at, std::default_sentinel_t) { return at.done_; }

 private:
  /// Whether `element` is true in every worker.
  bool all_have(bool element) const;

  Strategy strategy_;
  std::vector<std::shared_ptr<data::ElementIterator>> pipelines_;
  bool splits_;
  bool agrees_;
  bool done_ = false;
  PerReplica parts_;
};

}  // namespace antler::distribute
