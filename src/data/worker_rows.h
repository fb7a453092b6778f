#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>

#include "antler/data/data_source.h"

namespace antler::data {

/// Which of the workers this one is. It may change between batches.
struct WorkerPlace {
  int64_t rank = 0;
  int64_t workers = 1;
  friend auto operator<=>(const WorkerPlace&, const WorkerPlace&) = default;
};

/// The part of one worker of global batches that every worker reads: row j belongs to worker
/// j % workers. A worker without a row in a batch reads one of zeros (WorkerBatch::is_empty), so
/// that all workers do the same number of steps. Leaves that do not have the rows of the batch are
/// passed on whole.
std::shared_ptr<DataSource> worker_rows(std::shared_ptr<DataSource> global,
                                        std::function<WorkerPlace()> place);

/// The number of rows that worker `rank` has of a global batch.
int64_t rows_of_worker(int64_t global_rows, int64_t rank, int64_t workers);

}  // namespace antler::data
