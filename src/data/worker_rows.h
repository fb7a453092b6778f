#pragma once

#include <cstdint>
#include <memory>

#include "antler/data/data_source.h"

namespace antler::data {

/// The part of one worker of global batches that every worker reads: row j belongs to worker
/// j % workers. A worker without a row in a batch reads one of zeros (WorkerBatch::is_empty), so
/// that all workers do the same number of steps. Leaves that do not have the rows of the batch are
/// passed on whole.
std::shared_ptr<DataSource> worker_rows(std::shared_ptr<DataSource> global, int64_t rank,
                                        int64_t workers);

/// The number of rows that worker `rank` has of a global batch.
int64_t rows_of_worker(int64_t global_rows, int64_t rank, int64_t workers);

}  // namespace antler::data
