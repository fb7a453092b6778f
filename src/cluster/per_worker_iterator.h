#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "antler/cluster/cluster_coordinator.h"

namespace antler::cluster {

/// The iterators of all workers. Each is used only by the thread that serves its worker.
struct PerWorkerIterator::State {
 public:
  State(PerWorkerDataset::MakeDataset make, size_t workers)
      : make_(std::move(make)), pipelines_(workers) {}
  /// The next element; none at the end. The pipeline is made anew if the worker has restarted since
  /// it was made. `start` counts the worker's starts.
  std::optional<Nest> next(size_t worker, int64_t start);

 private:
  data::Dataset made(size_t worker) const;

  struct Pipeline {
    std::shared_ptr<data::ElementIterator> elements;
    int64_t start = 0;
  };
  const PerWorkerDataset::MakeDataset make_;
  std::vector<Pipeline> pipelines_;
};

}  // namespace antler::cluster
