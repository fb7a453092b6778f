#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "antler/data/data_source.h"

namespace antler::data {

/// Which of the workers this one is. It may change between batches.
struct WorkerPlace {
  int64_t rank = 0;
  int64_t workers = 1;
  friend bool operator<(const WorkerPlace& a, const WorkerPlace& b) {
    return std::pair(a.rank, a.workers) < std::pair(b.rank, b.workers);
  }
};

/// The part of one worker of global batches that every worker reads: its part_of_worker(). A worker
/// without a row in a batch reads one of zeros (WorkerBatch::is_empty), so that all workers do the
/// same number of steps. Leaves that do not have the rows of the batch are passed on whole.
std::shared_ptr<DataSource> worker_rows(std::shared_ptr<DataSource> global,
                                        std::function<WorkerPlace()> place);

/// Rows `begin` to `end` of a global batch.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t count() const { return end - begin; }
};

/// The rows of worker `rank`: each worker has ceil(global_rows / workers) rows in turn while they
/// last, as in TensorFlow.
RowRange part_of_worker(int64_t global_rows, int64_t rank, int64_t workers);

}  // namespace antler::data
