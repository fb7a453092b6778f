#pragma once

#include <optional>

#include "antler/data/data_source.h"
#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// The global batch that this thread is tracing for: the one of the innermost WorkerBatchScope,
/// otherwise of the latest LoopBatch.
WorkerBatch worker_batch();
/// A number that identifies worker_batch() together with this process's place in its group. It is
/// the key of functions that are traced once per kind of batch.
int64_t worker_batch_number();
/// Sets worker_batch() during its lifetime.
class WorkerBatchScope {
 public:
  explicit WorkerBatchScope(const WorkerBatch& batch);
  ~WorkerBatchScope();
  WorkerBatchScope(const WorkerBatchScope&) = delete;
  WorkerBatchScope& operator=(const WorkerBatchScope&) = delete;

 private:
  std::optional<WorkerBatch> previous_;
};

/// The global batch of the current step of a loop over a DistributedDataset. It is the
/// worker_batch() from set() until clear() or the end of its lifetime.
class LoopBatch {
 public:
  LoopBatch() = default;
  ~LoopBatch() { clear(); }
  LoopBatch(const LoopBatch&) = delete;
  LoopBatch& operator=(const LoopBatch&) = delete;
  void set(const WorkerBatch& batch) const;
  void clear() const;
};

/// Gathers the rows of all replicas of all workers in the order of the global batch, which
/// worker_batch() describes. Every worker gets all rows.
Nest gather_rows(const PerReplica& values, const Strategy& strategy);

}  // namespace antler::distribute
