#pragma once

#include "antler/data/data_source.h"
#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// The global batch that this thread is tracing for.
WorkerBatch worker_batch();
/// A number that identifies worker_batch() together with this process's place in its group. It is
/// the key of functions that are traced once per kind of batch.
int64_t worker_batch_number();
/// Sets worker_batch() for its lifetime.
class WorkerBatchScope {
 public:
  explicit WorkerBatchScope(const WorkerBatch& batch);
  ~WorkerBatchScope();
  WorkerBatchScope(const WorkerBatchScope&) = delete;
  WorkerBatchScope& operator=(const WorkerBatchScope&) = delete;

 private:
  WorkerBatch previous_;
};

/// Gathers the rows of all replicas of all workers in the order of the global batch, which
/// worker_batch() describes. Every worker gets all rows.
Nest gather_rows(const PerReplica& values, const Strategy& strategy);

}  // namespace antler::distribute
