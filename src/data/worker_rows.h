#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "antler/data/data_source.h"

namespace antler::data {

/// This process's place among the workers. It may change between batches.
struct WorkerPlace {
  int64_t rank = 0;
  int64_t workers = 1;
  friend bool operator<(const WorkerPlace& a, const WorkerPlace& b) {
    return std::pair(a.rank, a.workers) < std::pair(b.rank, b.workers);
  }
};

/// Serves one worker's part_of_worker() of global batches that every worker reads. A worker without
/// rows in a batch gets one row of zeros (WorkerBatch::is_empty), so that all workers run the same
/// number of steps. Leaves without the batch's rows are passed on whole.
std::shared_ptr<DataSource> worker_rows(std::shared_ptr<DataSource> global,
                                        std::function<WorkerPlace()> place);

/// Rows `begin` to `end` of a global batch.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t count() const { return end - begin; }
};

/// The rows of worker `rank`: as in TensorFlow, each worker in turn takes ceil(global_rows /
/// workers) of the remaining rows.
RowRange part_of_worker(int64_t global_rows, int64_t rank, int64_t workers);

}  // namespace antler::data
