#pragma once

#include "antler/data/data_source.h"
#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// The global batch that this thread's traces are for.
WorkerBatch worker_batch();
/// A number of worker_batch() and of this process's place in its group: equal ones have equal
/// numbers. For functions that are traced once per kind of batch.
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

/// Puts the rows of all replicas of all workers, which `values` have, in the order of the global
/// batch. Every worker gets them all. Rows are those of worker_batch().
Nest gather_rows(const PerReplica& values, const Strategy& strategy);

}  // namespace antler::distribute
