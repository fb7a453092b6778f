#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "antler/data/data_source.h"
#include "antler/ops/communicator.h"

namespace antler::distribute {

/// Exchanges numbers about the data that the workers have read. Returns the numbers of all workers,
/// in the order of the workers. Each worker passes the same count of non-negative numbers. If
/// reading the data threw `failure`, rethrows it after informing the others, which throw
/// UnavailableError.
std::vector<int64_t> exchange_counts(ops::Communicator& workers, std::vector<int64_t> numbers,
                                     const std::exception_ptr& failure);

/// The steps of workers that read their own batches. There are as many as the worker with the most
/// batches has. All workers make the same calls.
class StepAgreement {
 public:
  explicit StepAgreement(ops::Communicator& workers) : workers_(workers) {}
  /// Tells the others how many rows this worker's next batches have: 0 after the last one. Returns
  /// the global batches of the next steps; there are fewer than `rows` if no worker has data after
  /// them. Throws as exchange_counts() does, and ValueError if a worker has no batch at all,
  /// because that worker would not know the form of a batch.
  std::vector<WorkerBatch> next(const std::vector<int64_t>& rows,
                                const std::exception_ptr& failure);

 private:
  ops::Communicator& workers_;
  std::vector<bool> has_read_;  ///< by worker
};

}  // namespace antler::distribute
